"""References: each kind opens by its own rule, and nothing outside the roots opens at all."""

import os

import pytest

from limen.core.context import CallContext
from limen.core.fault import ToolFault
from limen.core.ledger import Trust
from limen.core.ports import LibraryDocument
from limen.evidence.opener import ReferenceOpener, Roots
from limen.evidence.redactor import SecretRedactor
from limen.evidence.shelf import EvidenceShelf
from limen.kit.redact import SecretTable
from limen.reading.document import read
from limen.store.sqlite.database import Database
from limen.store.sqlite.evidence import SqliteEvidence

pytestmark = pytest.mark.anyio


class InlineReader:
    async def read(self, data, *, url="", content_type=None, page_format="markdown"):
        return read(data, url, content_type, page_format)


class Shelved:
    """A library of documents by origin."""

    def __init__(self, **documents):
        self.documents = documents

    async def holds(self, origin):
        return origin in self.documents.get("origins", ())

    async def open(self, ref):
        origins = self.documents.get("origins", ())
        if not origins:
            raise ToolFault("library.unknown", f"No library holds {ref}.")
        return LibraryDocument(1, origins[0], "T", "text/markdown", 4, 1, 0.0, "lib:1"), "text"


@pytest.fixture
async def opener(tmp_path):
    (tmp_path / "work").mkdir()
    (tmp_path / "pages").mkdir()
    database = await Database.open(tmp_path / "limen.db")
    shelf = EvidenceShelf(SqliteEvidence(database), SecretRedactor(SecretTable()))

    def make(**documents):
        return ReferenceOpener(Shelved(**documents), shelf, InlineReader(), Roots(tmp_path / "work", tmp_path / "pages"))

    make.shelf = shelf
    yield make
    await database.close()


async def code_of(opener, ref):
    with pytest.raises(ToolFault) as caught:
        await opener.open(ref, CallContext())
    return caught.value.code


async def test_a_workspace_file_opens_by_name_path_and_address(opener, tmp_path):
    path = tmp_path / "work" / "a note.md"
    path.write_text("# Note\n\nhello")
    for ref in ("a note.md", str(path), path.as_uri()):
        opened = await opener().open(ref, CallContext())
        assert (opened.title, opened.trust, opened.text.strip()) == ("Note", Trust.WORKSPACE, "# Note\n\nhello")


async def test_a_stored_page_is_a_strangers_word(opener, tmp_path):
    path = tmp_path / "pages" / "x.md"
    path.write_text("# Page\n\n<b>kept as it is</b>")
    opened = await opener().open(str(path), CallContext())
    assert (opened.kind, opened.trust) == ("web", Trust.WEB)
    assert "<b>kept as it is</b>" in opened.text


@pytest.mark.parametrize("text", ["\n\n# T\r\nbody\r\n\n", "\ufeffx\u2028y\x0cz ", "\n" * 50, "e\u0301\t \n", ""])
async def test_a_stored_page_opens_as_it_was_stored(opener, tmp_path, text):
    path = tmp_path / "pages" / "x.md"
    path.write_text(text, newline="")
    assert (await opener().open(str(path), CallContext())).text == text


async def test_a_stored_page_is_a_strangers_word_also_where_the_home_is_a_link(opener, tmp_path):
    (tmp_path / "pages").rename(tmp_path / "elsewhere")
    (tmp_path / "pages").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere" / "x.md").write_text("text")
    assert (await opener().open(str(tmp_path / "pages" / "x.md"), CallContext())).trust == Trust.WEB


@pytest.mark.parametrize(
    "ref",
    ["/etc/passwd", "../secret.md", "file:///etc/passwd", "a/../../secret.md", "link.md", "file:///%2e%2e/etc/passwd", "~/x"],
)
async def test_nothing_outside_the_roots_opens(opener, tmp_path, ref):
    (tmp_path / "secret.md").write_text("secret")
    (tmp_path / "work" / "link.md").symlink_to(tmp_path / "secret.md")
    assert await code_of(opener(), ref) in ("files.outside", "files.missing")


@pytest.mark.parametrize("name", [".env", ".git/config", ".ssh/id_rsa"])
async def test_hidden_files_stay_closed(opener, tmp_path, name):
    path = tmp_path / "work" / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("x")
    assert await code_of(opener(), name) == "files.hidden"


async def test_what_is_no_readable_file_is_named(opener, tmp_path):
    os.mkfifo(tmp_path / "work" / "pipe")
    (tmp_path / "work" / "folder").mkdir()
    assert await code_of(opener(), "pipe") == "files.not_regular"
    assert await code_of(opener(), "folder") == "files.is_folder"
    assert await code_of(opener(), "nothing.md") == "files.missing"
    (tmp_path / "work" / "circle").symlink_to(tmp_path / "work" / "circle")
    for ref in ("a\0b", "x" * 5_000, "circle"):
        assert await code_of(opener(), ref) == "files.missing"


@pytest.mark.parametrize(
    ("name", "address"),
    [
        ("example.org", "https://example.org"),
        ("example.com/a/b.html", "https://example.com/a/b.html"),
        ("127.0.0.1:8080/x", "https://127.0.0.1:8080/x"),
        ("localhost:80", "https://localhost:80"),
        ("notes.md", ""),
        ("page.html", ""),
        ("notes", ""),
        ("a b.org", ""),
        ("src/limen.net", ""),
        ("release 1.2.final", ""),
    ],
)
async def test_what_looks_like_an_address_is_told_how_one_is_given(opener, name, address):
    with pytest.raises(ToolFault) as caught:
        await opener().open(name, CallContext())
    assert caught.value.code == "files.missing"
    assert caught.value.mend == (f"Give a web address whole: {address}" if address else "Check the name.")


@pytest.mark.parametrize("ref", ["turn0view0", " turn3search1 ", "TURN0VIEW0"])
async def test_a_ref_of_the_web_is_told_from_a_file(opener, ref):
    assert await code_of(opener(), ref) == "files.web_ref"


async def test_a_document_of_the_library_opens_wherever_it_lies(opener):
    opened = await opener(origins=("/elsewhere/doc.md",)).open("/elsewhere/doc.md", CallContext())
    assert (opened.ref, opened.url, opened.trust) == ("lib:1", "file:///elsewhere/doc.md", Trust.WORKSPACE)
    opened = await opener(origins=("https://example.com/",)).open("lib:1", CallContext())
    assert (opened.url, opened.trust) == ("https://example.com/", Trust.WEB)


async def test_evidence_opens_by_its_id(opener):
    kept = await opener.shelf.keep("line one\nline two", session="s", tool="t")
    opened = await opener().open(kept.id, CallContext())
    assert (opened.text, opened.kind) == ("line one\nline two", "evidence")
    assert await code_of(opener(), "ev_000000000000") == "evidence.unknown"


async def test_a_session_sees_its_own_evidence_alone(opener):
    kept = await opener.shelf.keep("line one", session="s", tool="t")
    assert (await opener().open(kept.id, CallContext(session="s"))).text == "line one"
    with pytest.raises(ToolFault, match=r"evidence\.unknown"):
        await opener().open(kept.id, CallContext(session="another"))


async def test_an_address_that_was_not_read_is_not_fetched_in_passing(opener):
    assert await code_of(opener(), "https://example.com/") == "find.not_read"


async def test_a_secret_is_masked_before_it_is_shelved(opener):
    secret = "hf_" + "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9bC1dE3f"
    kept = await opener.shelf.keep(f"token={secret}", session="s", tool="t")
    assert secret not in (await opener.shelf.show(kept.id)).text
