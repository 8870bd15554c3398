"""Which programs build, check and install, and what only their outputs say."""

from typing import NamedTuple


class Family(NamedTuple):
    """Programs whose outputs are alike. `verbs`: the words that make a build of a program which also does other things.

    `marks` are in no other family's output; `failed` tell that it was the build, and no test, which failed.
    """

    name: str
    programs: frozenset[str]
    verbs: frozenset[str] = frozenset()
    marks: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    any_form: bool = False

    def runs(self, program: str, words: tuple[str, ...]) -> bool:
        """Whether a program with these words is of this family."""
        return program in self.programs and (not self.verbs or not self.verbs.isdisjoint(words))

    def broken(self, ends: str) -> bool:
        """Whether an output says that the build itself failed."""
        return any(mark in ends for mark in self.failed)


def _family(name: str, programs: str, verbs: str = "", marks: tuple[str, ...] = (), failed: tuple[str, ...] = ()) -> Family:
    return Family(name, frozenset(programs.split()), frozenset(verbs.split()), marks, failed)


FAMILIES = (
    _family("cargo", "cargo", "build b check c clippy run r test t nextest install doc fix bench",
            ("error: could not compile", "   Compiling ", "For more information about this error, try `rustc"),
            ("error: could not compile",)),
    Family("rustc", frozenset({"rustc"})),
    _family("gcc", "gcc g++ cc c++ clang clang++ ld lld gfortran nvcc emcc", "",
            ("collect2: error", "In file included from ", "clang: error", "ld returned 1 exit")),
    _family("make", "make gmake mk bmake", "", ("make: *** ", "]: *** [")),
    _family("ninja", "ninja samu meson bazel buck2", "", ("ninja: build stopped", "\nFAILED: ")),
    _family("cmake", "cmake", "", ("CMake Error", "-- Configuring ")),
    _family("java", "javac mvn mvnw mvnd", "", ("[ERROR] COMPILATION ERROR", "[INFO] BUILD FAILURE", "[INFO] BUILD SUCCESS"),
            ("COMPILATION ERROR", "Could not resolve dependencies", "PluginResolutionException")),
    _family("gradle", "gradle gradlew", "", ("* What went wrong:", "\nBUILD FAILED in", "\nBUILD SUCCESSFUL in"),
            ("Compilation failed", "Could not resolve all")),
    _family("go", "go golangci-lint staticcheck", "build vet install run mod get generate test", ("go: downloading ",),
            ("[build failed]", "[setup failed]")),
    _family("tsc", "tsc vue-tsc", "", ("error TS",)),
    _family("dotnet", "msbuild xbuild dotnet", "build publish restore pack run test",
            ("Build FAILED.", "error MSB", "error CS"),
            ("Build FAILED.",)),
    _family("eslint", "eslint standard xo biome stylelint", "", ("✖ ",)),
    _family("ruff", "ruff flake8 pylint pycodestyle pyflakes", "", ("Your code has been rated",)),
    _family("mypy", "mypy dmypy pyright basedpyright pyre ty", "", (" source files)",)),
    _family("bundler", "webpack vite rollup esbuild parcel next tsup rspack turbo nx", "",
            ("webpack ", "vite v", "error during build:", "✘ [ERROR]")),
    _family("docker", "docker podman buildah nerdctl docker-compose", "build buildx bud compose up",
            ("failed to solve", "returned a non-zero code", "\n------\n > [")),
    _family("pip", "pip pip3 uv poetry pdm conda mamba pipenv", "install wheel download sync add lock update",
            ("ERROR: Could not find a version", "ERROR: Cannot install", "error: subprocess-exited-with-error")),
    _family("npm", "npm pnpm yarn bun", "install i ci add update run build exec rebuild pack", ("npm ERR! ", "npm error ")),
    Family("build", frozenset({"swiftc", "swift", "kotlinc", "scalac", "sbt", "zig", "ghc", "cabal", "stack", "mix", "rake",
                               "scons", "shellcheck", "golint", "hadolint", "clang-tidy", "cppcheck", "terraform"}),
           any_form=True),
)  # fmt: skip
"""The families, in the order in which they are tried."""
