import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ragtrial.documents.encoding import decode
from ragtrial.errors import DataError, UsageError

RUSSIAN = (
    "Этот раздел описывает установку программы. Сначала скачайте архив и распакуйте его в любую папку. "
    "Затем откройте файл настроек и укажите адрес сервера."
)
LEGACY = {
    "cp1251": RUSSIAN,
    "koi8_r": RUSSIAN,
    "cp932": "この節ではインストールの手順を説明します。最初にアーカイブをダウンロードして、展開してください。",
    "euc_jp": "この節ではインストールの手順を説明します。最初にアーカイブをダウンロードして、展開してください。",
    "gb18030": "本节介绍安装步骤。首先下载压缩包并将其解压到任意文件夹。然后打开配置文件并输入服务器地址。",
    "cp949": "이 절에서는 설치 절차를 설명합니다. 먼저 압축 파일을 내려받아 원하는 폴더에 풀어 주십시오.",
    "cp1253": "Αυτή η ενότητα περιγράφει τα βήματα εγκατάστασης. Πρώτα κατεβάστε το αρχείο και αποσυμπιέστε το.",
    "cp1252": "Cette section décrit les étapes de l’installation. Téléchargez d’abord l’archive où elle est.",
}


@given(st.text().filter(lambda text: "\0" not in text))
def test_utf8_comes_back_unchanged(text):
    assert decode(text.encode()) == (text, "utf-8")


@pytest.mark.parametrize(
    ("mark", "name"),
    [
        (codecs.BOM_UTF8, "utf-8"),
        (codecs.BOM_UTF16_LE, "utf-16-le"),
        (codecs.BOM_UTF16_BE, "utf-16-be"),
        (codecs.BOM_UTF32_LE, "utf-32-le"),
        (codecs.BOM_UTF32_BE, "utf-32-be"),
    ],
)
@pytest.mark.parametrize("given_encoding", [None, "cp1252"])
def test_a_byte_order_mark_decides_and_stays_in_the_text(mark, name, given_encoding):
    text = "# Größe\n\n日本 😀\n"
    assert decode(mark + text.encode(name), given_encoding) == ("\ufeff" + text, name)


@pytest.mark.parametrize("name", LEGACY)
def test_legacy_encodings_are_found_out(name):
    text = f"# Title\n\n{LEGACY[name]}\n"
    assert decode(text.encode(name))[0] == text


def test_the_name_returned_gives_the_text_again():
    for name, text in LEGACY.items():
        data = text.encode(name)
        assert data.decode(decode(data)[1]) == text


@pytest.mark.parametrize("text", ["# Café\n\nnaïve text\n", "Über", "© 2024 Company", "Heat to 200°C.\n"])
def test_short_western_text_is_windows_1252(text):
    assert decode(text.encode("cp1252")) == (text, "cp1252")


@pytest.mark.parametrize("name", ["utf-16-le", "utf-16-be"])
def test_wide_text_without_a_mark_needs_its_name(name):
    data = "Hello there, this is text without a byte order mark.\n".encode(name)
    with pytest.raises(DataError, match="UTF-16 without a byte order mark needs its name given"):
        decode(data)
    assert decode(data, name)[0] == data.decode(name)


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (bytes(range(256)) * 4, "binary"),
        (b"\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR", "binary"),
        (b"plain text with a \x00 in it", "binary"),
        ("日本語の文書です。".encode()[:-1], "UTF-8 with a damaged byte at 24"),
        ("naïve ünïcode ".encode() + b"\xff tail", "UTF-8 with a damaged byte at 17"),
        (b"\x80\x81\x82\xff\xfe\xfd", "not sound"),
        ("זהו מסמך על כותרות ופסקאות.".encode("cp1255"), "not sound"),
        (b"control \x01\x02 and \xe9", "unknown encoding"),
        ("Téléchargez d’abord l’archive où elle est.\x01".encode("cp1252"), "cp1252 is not sound"),
        (codecs.BOM_UTF8 + b"\xff", "not valid utf-8 at byte 3"),
        (codecs.BOM_UTF16_LE + b"a", "not valid utf-16-le at byte 2"),
    ],
)
def test_what_is_not_text_is_refused_with_the_reason(data, reason):
    with pytest.raises(DataError) as caught:
        decode(data)
    assert reason in caught.value.message


@given(st.binary(max_size=200))
def test_any_bytes_are_decoded_exactly_or_refused(data):
    try:
        text, name = decode(data)
    except DataError:
        return
    assert data.decode(name) == text


def test_a_given_encoding_is_used_strictly():
    assert decode(b"\xe9", "latin-1") == ("é", "iso8859-1")
    assert decode("é".encode(), "utf-8-sig") == ("é", "utf-8")
    with pytest.raises(DataError, match="not valid ascii at byte 0"):
        decode(b"\xe9", "ascii")


@pytest.mark.parametrize("name", ["latin-11", "rot13", "base64"])
def test_an_unknown_encoding_is_a_usage_error(name):
    with pytest.raises(UsageError, match=name):
        decode(b"a", name)
