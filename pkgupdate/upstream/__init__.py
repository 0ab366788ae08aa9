"""The upstream Git repository: addresses, refs, fetching into a cache, trees, blobs, history."""
