"""A release carries what is known of its parts: hashes, licences, a bill of materials, an audit."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
RELEASE = (ROOT / ".github" / "workflows" / "release.yml").read_text(encoding="utf-8")


def test_a_release_waits_for_the_audit_of_what_it_ships() -> None:
    assert "pip-audit --require-hashes --disable-pip --requirement packaging/requirements/run.txt" in RELEASE
    needed = RELEASE.partition("\n  publish:")[2].partition("needs: [")[2].partition("]")[0]
    assert "audit" in needed.split(", ")


def test_a_release_carries_its_bill_of_materials_attested() -> None:
    assert "sh packaging/sbom.sh dist/kvdesk-sbom.cdx.json" in RELEASE
    assert "sbom-path: dist/kvdesk-sbom.cdx.json" in RELEASE
    assert "cyclonedx-py environment" in (ROOT / "packaging" / "sbom.sh").read_text(encoding="utf-8")


def test_packages_are_installed_by_hash_only() -> None:
    for script in ("dev.sh", "dev.ps1"):
        assert "--require-hashes" in (ROOT / "packaging" / script).read_text(encoding="utf-8"), script


def test_the_frozen_program_carries_the_licences() -> None:
    """tests/packaging/test_scripts.py shows that every package has its text."""
    assert "licences" in (ROOT / "packaging" / "kvdesk.spec").read_text(encoding="utf-8")
    texts = {path.name for path in (ROOT / "packaging" / "licences").iterdir()}
    assert {"LGPL-3.0.txt", "GPL-3.0.txt", "Qt.txt"} <= texts
