#!/usr/bin/env bash
# What action.yml runs. From the environment: PACKAGES (folders, one a line; empty: all that follow
# an upstream), BRANCH (empty: only report), GITHUB_STEP_SUMMARY and GITHUB_OUTPUT.
set -euo pipefail

list_packages() {
  if [ -n "${PACKAGES:-}" ]; then
    printf '%s\n' "$PACKAGES" | sed '/^[[:space:]]*$/d'
  else
    # A package whose folder lies in another one is updated together with that one.
    git ls-files -- Kptfile '**/Kptfile' | while IFS= read -r file; do
      if grep -q '^upstream:' -- "$file"; then dirname -- "$file"; fi
    done | sort | awk '{ for (outer in seen) if (index($0 "/", outer "/") == 1 || outer == ".") next
                         seen[$0] = 1; print }'
  fi
}

if [ -n "${BRANCH:-}" ]; then
  git config user.name >/dev/null || git config user.name pkgupdate
  git config user.email >/dev/null || git config user.email pkgupdate@users.noreply.github.com
  git switch --quiet --force-create "$BRANCH"
fi

mapfile -t packages < <(list_packages)
if [ "${#packages[@]}" -gt 0 ]; then
  {
    printf '## Packages behind upstream\n\n```text\n'
    pkgupdate outdated --quiet -- "${packages[@]}" || echo "the list failed; see the log of the job"
    printf '```\n\n'
  } >>"$GITHUB_STEP_SUMMARY"
fi

status=0
updates=""
for package in "${packages[@]}"; do
  if [ -n "${BRANCH:-}" ]; then mode=--commit; else mode=--dry-run; fi
  before=$(git rev-parse HEAD)
  if report=$(pkgupdate update "$mode" --format markdown -- "$package"); then
    printf '%s\n\n' "$report" >>"$GITHUB_STEP_SUMMARY"
    case $report in *"Nothing to do: the package is up to date."*) ;; *) updates+="$package"$'\n' ;; esac
  else
    status=1
    printf '## %s\n\nThe update failed; see the log of the job.\n\n' "$package" >>"$GITHUB_STEP_SUMMARY"
  fi
  [ "$(git rev-parse HEAD)" = "$before" ] || changed=yes
done

{
  echo "updates<<END-OF-UPDATES"
  printf '%s' "$updates"
  echo "END-OF-UPDATES"
} >>"$GITHUB_OUTPUT"
if [ -n "${BRANCH:-}" ] && [ "${changed:-}" = yes ]; then
  git push --quiet --force origin "HEAD:refs/heads/$BRANCH"
fi
exit "$status"
