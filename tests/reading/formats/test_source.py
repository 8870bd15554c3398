"""Source code and its kin stay as they are, with an outline of what they define."""

import pytest

from limen.reading import read


@pytest.mark.parametrize(
    ("name", "text", "media_type", "outline"),
    [
        (
            "a.py", "class A:\n    def b(self): ...\n\nasync def c(): ...\n",
            "text/x-python", [(1, "class A"), (2, "def b"), (1, "async def c")],
        ),
        (
            "a.js", "export function a(x) {\n}\nconst b = (x) => x\nclass C {}\n",
            "text/javascript", [(1, "function a(x)"), (1, "const b"), (1, "class C")],
        ),
        (
            "a.ts", "export interface A {\n}\nexport abstract class B {}\n",
            "text/x-typescript", [(1, "interface A"), (1, "abstract class B")],
        ),
        (
            "a.go", "package a\n\nfunc (s *S) A(x int) error {\n}\ntype B struct {\n}\n",
            "text/x-go", [(1, "func (s *S) A(x int) error"), (1, "type B struct")],
        ),
        (
            "a.rs", "pub fn a() {\n}\nimpl B for C {\n    fn d(&self) {}\n}\n",
            "text/x-rust", [(1, "fn a()"), (1, "impl B for C"), (2, "fn d(&self)")],
        ),
        ("A.java", "public class A {\n    public interface B {}\n}\n", "text/x-java", [(1, "class A"), (2, "interface B")]),
        (
            "a.c", "int main(int n, char **v)\n{\n  return f(1);\n}\nstruct s {\n};\n",
            "text/x-c", [(1, "int main(int n, char **v)"), (1, "struct s")],
        ),
        (
            "b.c", "static int\nmain (int n, char **v)\n{\n}\nMACRO (x)\nif (x)\nvoid f(int a);\n",
            "text/x-c", [(1, "main (int n, char **v)")],
        ),
        ("a.rb", "module A\n  class B\n    def c\n", "text/x-ruby", [(1, "module A"), (2, "class B"), (3, "def c")]),
        ("a.php", "<?php\nclass A {\n  public function b() {\n", "text/x-php", [(1, "class A"), (2, "function b()")]),
        ("a.sh", "#!/bin/sh\na() {\n}\nfunction b {\n}\n", "text/x-sh", [(1, "a()"), (1, "function b")]),
        (
            "a.sql", "create table a (id int);\nCREATE OR REPLACE VIEW b AS\n",
            "text/x-sql", [(1, "create table a"), (1, "CREATE OR REPLACE VIEW b AS")],
        ),
        ("a.css", "a { b: c }\n", "text/css", []),
        ("a.toml", "[a]\nb = 1\n[[c.d]]\n", "application/toml", [(1, "a"), (1, "c.d")]),
        ("a.yaml", "a:\n  b: !!python/object/apply:os.system [x]\n", "application/yaml", []),
        ("a.adoc", "= Doc\n\n== Part\n", "text/asciidoc", [(1, "Doc"), (2, "Part")]),
        ("a.org", "#+TITLE: T\n* One\n** TODO Two\n", "text/org", [(1, "One"), (2, "Two")]),
        (
            "a.tex", "\\documentclass{a}\n\\title{Lamps}\n\\section{One}\n\\subsection*{\\emph{Two} \\label{x}}\n",
            "text/x-tex", [(3, "One"), (4, "Two")],
        ),
        ("a.bib", "@book{key1,\n title={x}\n}\n", "text/x-bibtex", [(1, "@book{key1")]),
    ],
)  # fmt: skip
def test_a_file_is_kept_and_outlined(name, text, media_type, outline):
    page = read(text.encode(), f"https://e.example/{name}", "text/plain")
    assert page.text == text.rstrip("\n")
    assert page.media_type == media_type
    assert [(heading.level, heading.text) for heading in page.outline] == outline


@pytest.mark.parametrize(
    ("text", "media_type"),
    [
        ("diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-a\n+b\n", "text/x-diff"),
        ("--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n", "text/x-diff"),
        ("#!/usr/bin/env python3\nprint(1)\n", "text/x-python"),
        ("#!/bin/bash\nx\n", "text/x-sh"),
        ("<?php echo 1;\n", "text/x-php"),
        ("\\documentclass{article}\n", "text/x-tex"),
    ],
)
def test_a_language_shows_without_a_name(text, media_type):
    page = read(text)
    assert (page.media_type, page.text) == (media_type, text.rstrip("\n"))


def test_titles_are_those_of_the_document():
    assert read("\\documentclass{a}\n\\title{Lamps}\n").title == "Lamps"
    assert read("#+TITLE: Lamps\n* One\n", "a.org").title == "Lamps"
    assert read("x = 1\n", "https://e.example/src/a.py").title == "a.py"


@pytest.mark.parametrize("name", ["a.c", "a.js", "a.rs", "a.sql", "a.tex"])
@pytest.mark.parametrize(
    "line", ["public static " * 20, "a" * 299, "(" * 299, "const a = " * 29, "\\section{" * 30, "create a " * 30]
)
def test_hostile_lines_are_outlined(name, line):
    read(f"{line}\n" * 2_000, name)
