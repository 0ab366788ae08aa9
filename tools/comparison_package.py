"""The input of `compare_with_kpt.py`: a package, what upstream changed, what a team changed.

The edits are replacements of text, each of which has to fit exactly once.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

Edit = tuple[str, str, str]
"""File, old text, new text."""

APPS = ("cart", "mail", "orders", "payments", "reports", "search", "stock", "web")
SCALED = ("cart", "orders", "search", "web")
GUARDED = ("orders", "payments", "stock", "web")

_APP = """\
# {name}: one of the services of the shop.
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {name}
  namespace: shop
  labels:
    app: {name}
spec:
  replicas: 2 # kpt-set: ${{{name}-replicas}}
  selector:
    matchLabels:
      app: {name}
  template:
    metadata:
      labels:
        app: {name}
    spec:
      serviceAccountName: {name}
      containers:
        # the service itself
        - name: {name}
          image: registry.example.com/shop/{name}:1.4.0
          args:
            - --listen=:8080
            - --log-level=info
            - --workers=4
          env:
            - name: LOG_FORMAT
              value: json # read by the log collector
            - name: CACHE_HOST
              value: cache.shop
          ports:
            - name: http
              containerPort: 8080
          resources:
            requests:
              cpu: 100m
              memory: 128Mi
            limits:
              memory: 256Mi # more than this is a leak
          volumeMounts:
            - name: scratch
              mountPath: /tmp
      volumes:
        - name: scratch
          emptyDir: {{}}
---
apiVersion: v1
kind: Service
metadata:
  name: {name}
  namespace: shop
spec:
  selector:
    app: {name}
  ports:
    - name: http
      port: 80
      targetPort: http
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {name}-settings
  namespace: shop
data:
  service.properties: |
    # how long a client waits
    timeout=30
    page.size=20
    currency=EUR
    retries=3
"""

_ACCOUNT = """\
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {name}
  namespace: shop
"""

_SCALER = """\
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {name}
  namespace: shop
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: Deployment
    name: {name}
  minReplicas: 2
  maxReplicas: 6 # what the nodes have room for
"""

_BUDGET = """\
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {name}
  namespace: shop
spec:
  minAvailable: 1
  selector:
    matchLabels:
      app: {name}
"""

_OTHERS = {
    "Kptfile": """\
apiVersion: kpt.dev/v1
kind: Kptfile
metadata:
  name: shop
info:
  description: The services of a shop.
pipeline:
  mutators:
    - image: ghcr.io/kptdev/krm-functions-catalog/set-namespace:v0.4.1
      configMap:
        namespace: shop
    - image: ghcr.io/kptdev/krm-functions-catalog/set-labels:v0.2.0
      configMap:
        part-of: shop
""",
    "rbac.yaml": """\
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata:
  name: reader
  namespace: shop
rules:
  # the services look their settings up
  - apiGroups: [""]
    resources: [configmaps]
    verbs: [get, list]
  - apiGroups: [""]
    resources: [services]
    verbs: [get]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata:
  name: reader
  namespace: shop
roleRef:
  apiGroup: rbac.authorization.k8s.io
  kind: Role
  name: reader
subjects:
  - kind: ServiceAccount
    name: web
    namespace: shop
""",
    "alerts.yaml": """\
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: shop
  namespace: shop
spec:
  groups:
    - name: latency
      rules:
        - alert: SlowWeb # wakes somebody up
          expr: latency_seconds > 1
          for: 5m
    - name: errors
      rules:
        - alert: Errors
          expr: error_ratio > 0.05
          for: 10m
""",
    "certificate.yaml": """\
apiVersion: cert-manager.io/v1
kind: Certificate
metadata:
  name: shop
  namespace: shop
  creationTimestamp: null
spec:
  secretName: shop-tls
  dnsNames:
    - shop.example.com
    - www.shop.example.com
""",
    "clean-up.yaml": """\
apiVersion: batch/v1
kind: CronJob
metadata:
  name: clean-up
  namespace: shop
spec:
  schedule: "0 3 * * *" # at night
  jobTemplate:
    spec:
      template:
        spec:
          restartPolicy: Never
          containers:
            - name: clean-up
              image: registry.example.com/shop/clean-up:1.0.0
              command: [clean-up, --older-than=30d]
""",
    "quota.yaml": """\
apiVersion: v1
kind: ResourceQuota
metadata:
  name: shop
  namespace: shop
spec:
  hard:
    pods: "40"
    requests.memory: 16Gi
""",
}

OF_UPSTREAM: tuple[Edit, ...] = (
    *((f"{name}.yaml", f"{name}:1.4.0", f"{name}:1.6.0") for name in APPS),
    *((f"{name}.yaml", "retries=3", "retries=5") for name in APPS),
    *(
        (f"{name}.yaml", "--workers=4\n", "--workers=4\n            - --metrics=:9090\n")
        for name in ("cart", "search", "web")
    ),
    ("orders.yaml", "memory: 256Mi", "memory: 384Mi"),
    ("payments.yaml", "--log-level=info", "--log-level=debug"),
    ("web.yaml", "cache.shop", "cache.shop.svc"),
    ("web.yaml", "timeout=30", "timeout=20"),
    ("scaling.yaml", "maxReplicas: 6 # what the nodes have room for\n---", "maxReplicas: 8\n---"),
    ("rbac.yaml", "[get, list]", "[get, list, watch]"),
    ("alerts.yaml", "error_ratio > 0.05", "error_ratio > 0.02"),
    ("certificate.yaml", "    - www.", "    - api.shop.example.com\n    - www."),
    ("clean-up.yaml", "--older-than=30d", "--older-than=14d"),
    ("quota.yaml", "16Gi", "24Gi"),
    ("Kptfile", "set-namespace:v0.4.1", "set-namespace:v0.4.5"),
)
"""From v1 to v2."""

OF_THE_TEAM: tuple[Edit, ...] = (
    ("web.yaml", "replicas: 2 #", "replicas: 5 #"),
    ("web.yaml", "--log-level=info", "--log-level=warn # the log is paid by the line"),
    ("web.yaml", "currency=EUR", "currency=CHF"),
    ("web.yaml", "value: cache.shop", "value: cache.eu.shop # the one nearby"),
    ("cart.yaml", "--workers=4", "--workers=8"),
    ("cart.yaml", "page.size=20", "page.size=50"),
    (
        "search.yaml",
        "            - --workers=4\n",
        "            - --workers=4\n            - --fuzzy\n",
    ),
    ("orders.yaml", "memory: 256Mi # more than this is a leak", "memory: 1Gi # measured in May"),
    ("payments.yaml", "value: json # read", "value: text # read"),
    ("stock.yaml", "page.size=20\n", "page.size=20\n    warehouse=north\n"),
    ("reports.yaml", "timeout=30", "timeout=300"),
    (
        "mail.yaml",
        "            - name: LOG_FORMAT\n",
        "            - name: SENDER\n"
        "              value: shop@example.org\n            - name: LOG_FORMAT\n",
    ),
    (
        "rbac.yaml",
        "    verbs: [get]\n",
        "    verbs: [get]\n  # for the dashboard\n"
        "  - apiGroups: [apps]\n    resources: [deployments]\n    verbs: [get]\n",
    ),
    ("alerts.yaml", "for: 5m", "for: 15m # we are few"),
    ("certificate.yaml", "    - shop.example.com", "    - shop.example.org"),
    ("clean-up.yaml", '"0 3 * * *"', '"30 4 * * *"'),
    ("quota.yaml", "16Gi", "12Gi # agreed with operations"),
    ("Kptfile", "pipeline:\n", "# what all our packages have in common\npipeline:\n"),
    (
        "Kptfile",
        "        part-of: shop\n",
        "        part-of: shop\n"
        "    # ours: who pays\n"
        "    - image: ghcr.io/kptdev/krm-functions-catalog/set-annotations:v0.1.4\n"
        "      configMap:\n        team: storefront\n",
    ),
)
"""On the package as it was fetched."""

OWN_FILE = (
    "ingress.yaml",
    """\
# Only ours: upstream has no ingress.
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: shop
  namespace: shop

spec:
  rules:
    - host:  shop.example.org      # until the move
      http:
        paths:
          - {path: /, pathType: Prefix, backend: {service: {name: web, port: {name: http}}}}
""",
)


def upstream_package(edits: Iterable[Edit] = ()) -> dict[str, str]:
    """Text by path, after the edits."""
    files = {f"{name}.yaml": _APP.format(name=name) for name in APPS}
    files["accounts.yaml"] = _join(_ACCOUNT, APPS)
    files["scaling.yaml"] = _join(_SCALER, SCALED)
    files["budgets.yaml"] = _join(_BUDGET, GUARDED)
    files |= _OTHERS
    for file, old, new in edits:
        files[file] = _replaced(files[file], old, new, file)
    return files


def edit_locally(package: Path) -> None:
    """Make the team's edits in a fetched package."""
    for file, old, new in OF_THE_TEAM:
        path = package / file
        path.write_text(_replaced(path.read_text(), old, new, file))
    name, text = OWN_FILE
    (package / name).write_text(text)


def _join(template: str, names: Iterable[str]) -> str:
    return "---\n".join(template.format(name=name) for name in names)


def _replaced(text: str, old: str, new: str, file: str) -> str:
    if old not in text:
        raise ValueError(f"{file} has no {old!r}")
    return text.replace(old, new, 1)
