"""Looking at packages without changing them: differences, state, upstream's log, resources."""
