"""The group of commands: help, version, exit codes, and what becomes of errors."""

import importlib
import pkgutil
import subprocess
from importlib.metadata import entry_points
from pathlib import Path

import click
import pytest

import ragtrial
import ragtrial.cli
from ragtrial.cli.main import COMMANDS, cli
from ragtrial.errors import ConfigError


def test_every_module_with_a_command_is_a_command():
    modules = {
        info.name: importlib.import_module(f"ragtrial.cli.{info.name}")
        for info in pkgutil.iter_modules(ragtrial.cli.__path__)
    }
    assert {name for name, module in modules.items() if hasattr(module, "command")} == set(COMMANDS)


def test_help_lists_every_command_in_full(call):
    done = call("--help")
    assert (done.code, done.err) == (0, "")
    flat = " ".join(done.out.split())
    for name, line in COMMANDS.items():
        assert f" {name} {line}" in flat


@pytest.mark.parametrize("name", sorted(COMMANDS))
@pytest.mark.parametrize("flag", ["--help", "-h"])
def test_every_command_has_help(name, flag, call):
    done = call(name, flag)
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"Usage: ragtrial {name}")
    command = cli.get_command(click.Context(cli), name)
    assert command.help.split(".")[0].split()[0] in done.out
    for option in command.params:
        if isinstance(option, click.Option):
            assert option.opts[0] in done.out
            assert option.help


def test_version(call):
    done = call("--version")
    assert (done.code, done.err) == (0, "")
    assert ragtrial.__version__ in done.out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["rum"], "No such command 'rum'"),
        (["--rum"], "No such option"),
        (["run"], "Missing argument 'TRIAL'"),
        (["run", "a", "b"], "unexpected extra argument"),
        (["run", "t.toml", "--workers", "0"], "--workers"),
        (["run", "t.toml", "--workers", "many"], "--workers"),
        (["doctor", "now"], "unexpected extra argument"),
    ],
    ids=" ".join,
)
def test_wrong_words_are_usage_errors(arguments, words, call):
    done = call(*arguments)
    assert (done.code, done.out) == (2, "")
    assert words in done.err
    assert "Usage: ragtrial" in done.err


def test_no_words_show_the_help(call):
    done = call()
    assert "Commands:" in done.out + done.err


def test_an_error_is_a_sentence_and_with_debug_a_traceback(shell, tmp_path):
    plain = shell("run", tmp_path / "missing.toml")
    assert plain.code == 2
    assert plain.err.startswith(f"Error: There is no trial file {tmp_path / 'missing.toml'}.\n")
    assert "Traceback" not in plain.err
    debug = shell("--debug", "run", tmp_path / "missing.toml")
    assert debug.code != 0
    assert "Traceback" in debug.err
    assert "There is no trial file" in debug.err


def test_in_python_debug_lets_the_error_through(tmp_path):
    with pytest.raises(ConfigError):
        ragtrial.cli.main(["--debug", "run", str(tmp_path / "missing.toml")])


@pytest.mark.parametrize("arguments", [["--help"], ["doctor"], ["doctor", "--json"]], ids=" ".join)
def test_a_reader_that_leaves_before_the_end_is_no_error(arguments, command):
    process = subprocess.Popen(command(*arguments), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    process.stdout.close()
    err = process.stderr.read()
    process.stderr.close()
    assert (process.wait(timeout=60), err) == (0, b"")


@pytest.mark.parametrize("arguments", [["--help"], ["doctor"]], ids=" ".join)
def test_a_full_disk_behind_standard_output_is_a_sentence(arguments, command):
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(command(*arguments), stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 1
    assert "No space left on device" in done.stderr.decode()
    assert "Traceback" not in done.stderr.decode()


def test_the_installed_command_is_this_one():
    [script] = entry_points(group="console_scripts", name="ragtrial")
    assert script.load() is ragtrial.cli.main
