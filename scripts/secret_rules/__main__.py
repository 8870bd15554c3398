"""Makes `src/limen/kit/secret/gitleaks.json` from gitleaks' own configuration: python scripts/secret_rules gitleaks.toml COMMIT.

Rules come over as they are, but for these: a rule by path, and rules that our own replace by better ones, are
left out; and a token may be followed by anything that is no part of it, since it also stands in addresses and in prose.
"""

import json
import re
import sys
import tomllib
from pathlib import Path

OUT = Path(__file__).parents[2] / "src/limen/kit/secret/gitleaks.json"
REPLACED = {
    "curl-auth-header": "named values",
    "curl-auth-user": "named values",
    "facebook-page-access-token": "one that takes no stretch of base64 for a token",
    "generic-api-key": "named values, which judge the value by its form",
    "hashicorp-tf-password": "named values, which know a label from a password",
    "jwt": "one that also takes a token in an address",
    "jwt-base64": "one that also takes a token in an address",
    "kubernetes-secret-yaml": "one that takes every value of the secret",
    "private-key": "one that takes cut and escaped keys",
    "square-access-token": "one that takes no stretch of base64 for a token",
    "sourcegraph-access-token": "one that takes no commit for a token",
}
# Keywords that occur in most logs, and what of the shape makes them rare.
FINER = {
    "lob-api-key": ["(?:test|live)_[a-f0-9]{8}"],
    "twilio-api-key": ["sk[0-9a-f]{16}"],
    "vault-service-token": [r"hvs\.", r"\bs\.[a-z0-9]{8}"],
}
TAIL = r"""(?:[\x60'"\s;]|\\[nr]|$)"""
ANY_TAIL = r"""(?:[^\w-]|$)"""


def main() -> None:
    source, commit = sys.argv[1:]
    rules = tomllib.loads(Path(source).read_text())["rules"]
    kept = [converted(rule) for rule in rules if "regex" in rule and rule["id"] not in REPLACED]
    data = {"source": "gitleaks, config/gitleaks.toml", "commit": commit, "licence": "MIT, see gitleaks.LICENSE", "rules": kept}
    OUT.write_text(json.dumps(data, indent=1) + "\n")


def converted(rule: dict) -> dict:
    shape = rule["regex"].replace(TAIL, ANY_TAIL)
    keywords = FINER.get(rule["id"]) or [re.escape(keyword.lower()) for keyword in rule["keywords"]]
    out = {"name": rule["id"], "shape": shape, "keywords": keywords}
    if rule.get("entropy"):
        out["entropy"] = rule["entropy"]
    return out


if __name__ == "__main__":
    main()
