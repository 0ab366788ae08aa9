"""The frame around the commands: help, start-up, streams, exit codes, errors."""

import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest
from program import Run, run_alone

from pkgupdate import __version__
from pkgupdate.cli import failures
from pkgupdate.cli.crashlog import crash_text
from pkgupdate.cli.registry import COMMANDS, GROUPS
from pkgupdate.errors import Location, PackageError

HEAVY = {"rich", "yaml", "ruamel", "git", "jsonpatch", "platformdirs", "pathspec"}
COMPLETE = {"_PKGUPDATE_COMPLETE": "complete_bash", "COMP_WORDS": "pkgupdate update --on"}


def test_help_lists_every_command(run: Run) -> None:
    out = run("--help").out
    for name, entry in COMMANDS.items():
        if " " not in name:
            assert f"  {name} " in out
            assert entry.help.split()[0] in out
    assert all(group in out for group in GROUPS)


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_help(name: str, run: Run) -> None:
    outcome = run(*name.split(), "--help")
    assert outcome.code == 0
    assert outcome.out.startswith(f"Usage: pkgupdate {name}")
    assert "--verbose" in outcome.out


def test_version(run: Run) -> None:
    assert run("--version").out == f"pkgupdate {__version__}\n"


@pytest.mark.parametrize(
    ("arguments", "variables"),
    [
        (["--help"], {}),
        (["--version"], {}),
        (["update", "--help"], {}),
        ([], COMPLETE | {"COMP_CWORD": "2"}),
    ],
)
def test_nothing_heavy_is_imported(arguments: list[str], variables: dict[str, str]) -> None:
    code = (
        "import atexit, sys; from pkgupdate.cli import main; atexit.register(lambda: print("
        "*sorted({m.partition('.')[0] for m in sys.modules}), file=sys.stderr));"
        "main(sys.argv[1:])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env=os.environ | variables,
        capture_output=True,
        text=True,
        check=True,
    )
    assert not HEAVY & set(done.stderr.split())
    assert ("--on-conflict" in done.stdout) is (arguments not in (["--help"], ["--version"]))


USAGE = [
    ([], "Usage: pkgupdate"),
    (["nonsense"], "No such command 'nonsense'"),
    (["updte", "shop"], "did you mean 'update'?"),
    (["git", "enabel"], "did you mean 'enable'?"),
    (["update", "--nonsense"], "No such option: --nonsense"),
    (["get"], "Missing argument"),
    (["update", "--on-conflict", "nobody"], "--on-conflict"),
    (["config"], "Usage: pkgupdate config"),
    (["update", "shop@"], "nothing after '@'"),
    (["merge"], "none of the three versions is there"),
    (["protect"], "which resource?"),
    (["update", "--protect", "Deployment/web:spec..x"], "cannot read the path"),
]


@pytest.mark.parametrize(("arguments", "expected"), USAGE)
def test_wrong_usage_exits_2(arguments: list[str], expected: str, run: Run) -> None:
    outcome = run(*arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert expected in outcome.err


def test_a_failure_is_one_block_on_stderr(run: Run, tmp_path: Path) -> None:
    outcome = run("update", tmp_path)
    assert outcome.code == 3
    assert outcome.out == ""
    assert outcome.err.startswith("error[kptfile-missing]: ")
    assert "  hint: " in outcome.err


def raised(error: BaseException) -> int:
    def fail() -> int:
        raise error

    return failures.guarded(fail)


def test_error_blocks_are_harmless(capsys: pytest.CaptureFixture[str]) -> None:
    error = PackageError(
        "some-code",
        "no \x1b[2J",
        where=Location("a\nb", 3),
        why="https://u:pearl@example.com failed\nagain",
        hint="try",
    )
    assert raised(error) == 3
    err = capsys.readouterr().err
    assert "\x1b" not in err
    assert "pearl" not in err
    assert "error[some-code]: no \\x1b[2J" in err


@pytest.mark.parametrize(
    ("variables", "is_coloured"),
    [({}, False), ({"FORCE_COLOR": "1"}, True), ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False)],
)
def test_colour(
    variables: dict[str, str],
    is_coloured: bool,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    raised(PackageError("c", "w", hint="h"))
    assert ("\x1b[" in capsys.readouterr().err) is is_coloured


def test_colour_by_option(run: Run, tmp_path: Path) -> None:
    assert "\x1b[" in run("update", tmp_path, "--color", "always").err
    assert "\x1b[" not in run("update", tmp_path, "--color", "never").err


def test_interruption_exits_130(capsys: pytest.CaptureFixture[str]) -> None:
    assert raised(KeyboardInterrupt()) == 130
    assert capsys.readouterr().err == "interrupted; nothing more was written\n"
    assert raised(KeyboardInterrupt("run: pkgupdate recover")) == 130
    assert capsys.readouterr().err == "interrupted; run: pkgupdate recover\n"


def test_what_the_system_refuses_is_no_fault(capsys: pytest.CaptureFixture[str]) -> None:
    assert raised(PermissionError(errno.EACCES, "Permission denied", "web.yaml")) == 3
    err = capsys.readouterr().err
    assert err.startswith("error[system-refused]: ")
    assert "  at: web.yaml\n  why: Permission denied\n" in err


def test_a_fault_leaves_a_log_that_is_safe_to_paste(capsys: pytest.CaptureFixture[str]) -> None:
    assert raised(ValueError("bad pearl at https://u:pearl@example.com")) == 4
    err = capsys.readouterr().err
    assert "ValueError" in err
    assert "Traceback" not in err
    log = Path(err.split("log: ")[1].split("  (")[0])
    text = log.read_text()
    assert "ValueError" in text
    assert "test_frame.py" in text
    assert "pearl" not in text + err
    assert log.stat().st_mode & 0o077 == 0


def test_a_log_holds_no_values_of_the_command_line() -> None:
    text = crash_text(ValueError("pearl"), ["update", "pearl", "--protect=pearl", "-v"])
    assert "arguments: … … --protect -v" in text
    assert "pearl" not in text


def test_module_runs() -> None:
    outcome = run_alone("--version")
    assert (outcome.code, outcome.out) == (0, f"pkgupdate {__version__}\n")


def test_a_closed_pipe_is_no_fault() -> None:
    assert in_shell("program config show | head -c 1").stderr == ""


@pytest.mark.parametrize("words", ["--version", "config show", "update --help"])
def test_the_reader_has_gone_before_the_first_byte(words: str) -> None:
    done = in_shell(f"{{ sleep 0.1; program {words}; }} | true; exit ${{PIPESTATUS[0]}}")
    assert (done.returncode, done.stderr) == (141, "")


@pytest.mark.parametrize("streams", [">&-", "2>&-", "<&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(
    ("words", "code"), [("config show", 0), ("update nowhere", 3), ("update --nonsense", 2)]
)
def test_closed_streams_change_nothing_else(words: str, code: int, streams: str) -> None:
    done = in_shell(f"program {words} {streams}")
    assert done.returncode == code
    assert "fault:" not in done.stdout + done.stderr


@pytest.mark.skipif(not Path("/dev/full").is_char_device(), reason="there is no full device")
@pytest.mark.parametrize("words", ["--version", "update nowhere"])
def test_a_failure_that_cannot_be_told_keeps_its_code(words: str) -> None:
    assert in_shell(f"program {words} >/dev/full 2>/dev/full").returncode == 3


def in_shell(script: str) -> subprocess.CompletedProcess[str]:
    """Run a script of the shell, which calls the program `program`."""
    program = f'program() {{ "{sys.executable}" -m pkgupdate "$@"; }}'
    return subprocess.run(
        ["bash", "-c", f"{program}; {script}"], capture_output=True, text=True, check=False
    )
