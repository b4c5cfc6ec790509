/// Texts that have broken parsers before, to replace a value or to add to it.
enum Vocabulary {
    static let numbers = [
        "0", "-0", "-1", "1", "9", "10", "255", "65536", "2147483648", "4294967296", "253402300799", "253402300800",
        "9007199254740993", "9223372036854775807", "9223372036854775808", "-9223372036854775808",
        "-9223372036854775809", "18446744073709551615", "18446744073709551616", "1e3", "1e18", "1e19", "1e308", "1e400",
        "-1e400", "1.5", "0.1e1", "1e-400", "NaN", "Infinity", "0x10", "+1", "01", "1_000", "٣", "１",
        "123456789012345678901234567890123456789012345678901234567890", "«now»", "«now+15777000»", "«now-600»",
        "-«now»", "«now»000000", "62135596800", "-62135596801", "8640000000000000",
    ]

    static let json = [
        "null", "true", "false", "\"\"", "\"1\"", "[]", "{}", "[null]", "[[]]", "{\"a\":{}}", "[\"a\",\"a\"]",
        "{\"\":0}", "{\"a\":1,\"a\":2}", "\"\\u0000\"", "\"\\ud800\"", "\"\\udc00\\ud800\"", "\"\\uD83D\\uDE00\"",
        "\"\\/\"", "\"\\x\"", "«times 200 [»", "«times 30000 [»", "«times 5000 {\"a\":»", "[«times 5000 0,»0]",
        "{«times 2000 \"a\":1,»\"b\":2}",
    ]

    static let texts = [
        "", " ", "%", "%0", "%zz", "%00", "%0d%0a", "%c0%80", "%ed%a0%80", "%ff", "%f4%90%80%80", "%25", "+",
        "%e2%80%ae", "%e0%a5%8d", "%f0%9f%87%a9%f0%9f%87%aa", "%e2%80%8d", "%cc%81%cc%a3", "%EF%BB%BF", "\u{0}",
        "\u{FEFF}", "\r", "\r\n", "\u{301}\u{323}", "\u{1F1E9}\u{1F1EA}", "a\u{200D}", "\u{202E}", "ı", "İ", "ß", "ﬁ",
        "Å", "..", "../..", "//", "/./", "\\", ";", ":", "@", "*", "'", "''", "\"", "<", "<script>", "{{x}}", "$1",
        "$$", "`", "=1+1", "\t=1", "-----BEGIN", "eyJhbGciOiJub25lIn0.e30.", "javascript:alert(1)", "data:text/html,x",
        "https://good@evil.example/", "//evil.example", "http://127.0.0.1:1/", "http://[::1]/",
        "https://xn--bcher-kva.example/", "https://bücher.example/", "example.acme.web", "example.acme.shop",
        "DEMOTEAM01", "APPLESIM00", "PIPPIN0000", "ada@acme.example", "«sub»", "«secret»", "«code»", "«refresh»",
        "«access»", "«id_token»", "«csrf»", "«origin»", "«now»", "«host»", "«callback»", "none", "true", "on",
        "«times 63 a»", "«times 64 a»", "«times 65 a»", "«times 127 a»", "«times 128 a»", "«times 129 a»",
        "«times 255 a»", "«times 256 a»", "«times 257 a»", "«times 2047 a»", "«times 2048 a»", "«times 2049 a»",
        "«times 8192 a»", "«times 8193 a»", "«times 65000 a»", "«times 20000 %cc%81%cc%a3»",
        "«times 9000 \u{301}\u{323}»", "«times 4000 \u{1F1E9}»", "«times 4000 %f0%9f%87%a9»", "«times 4000 a\u{200D}»",
        "«times 20000 %0a»", "«times 30000 \n»", "«times 2000 &a=»", "«times 300 &a=1»", "«times 20000 &»",
        "«times 20000 ,»", "«times 20000 .»", "«times 20000 /»", "«times 5000 a:»", "«times 20000 %00»",
        "«times 16000 İ»",
    ]

    static let headers = [
        "Content-Type: application/json", "Content-Type: application/x-www-form-urlencoded;charset=utf-16",
        "Content-Type: multipart/form-data; boundary=x", "Content-Type: multipart/form-data",
        "Content-Type: text/plain", "Content-Type:", "Accept: */*;q=NaN", "Accept: application/json",
        "Accept: text/html;q=1e400,*/*;q=-1", "Accept-Encoding: gzip", "Accept-Encoding: gzip;q=0.0001, *;q=0",
        "Accept-Encoding: «times 3000 \u{301}\u{323}»", "Accept-Language: de;q=1,ru;q=1e9,*;q=0",
        "Accept-Language: «times 2000 a-»", "Accept-Language: «times 3000 en,»", "Cookie: a=b; a=b",
        "Cookie: pippin-browser=; pippin-browser=x", "Cookie: «times 3000 a=;»", "Authorization: Bearer «access»",
        "Authorization: Bearer", "Authorization: Basic Og==", "Authorization: Basic %",
        "Authorization: Bearer «times 8000 a»", "X-Forwarded-For: ::1, 127.0.0.1, x",
        "X-Forwarded-For: «times 2000 1.1.1.1,»", "X-Forwarded-For: [::1%25lo]:99999", "X-Forwarded-Proto: https",
        "X-Forwarded-Host: evil.example", "Host: evil.example", "Host:", "Origin: null", "Origin: https://evil.example",
        "Sec-Fetch-Site: cross-site", "If-None-Match: *", "If-None-Match: «times 3000 \"a\",»", "Range: bytes=0-0",
        "Range: bytes=-9223372036854775808", "Expect: 100-continue", "Transfer-Encoding: chunked", "Content-Length: 0",
        "Content-Length: -1", "Content-Length: 18446744073709551616", "Content-Encoding: gzip",
        "User-Agent: «times 3000 \u{1F1E9}»", "User-Agent: «times 7000 \u{301}\u{323}»", "User-Agent:",
        "Connection: close", "Connection: upgrade", "Upgrade: h2c", "Referer: «times 8000 a»", "As: owner",
        "As: operator", "As: ada", "As: nobody",
    ]

    /// Pippin's cookies with invalid values.
    static let cookies: [String] = {
        let names = ["browser", "DEMOTEAM01", "DEMOTEAM01-known", "DEMOTEAM01-done", "PIPPIN0000", "PIPPIN0000-flash"]
        let values = [
            "", "a b\"c", "\\", "\u{E9}", "a,b", ".", "..a..", "«times 300 a.»", "«times 2000 \u{E9}.»",
            "«times 4000 a»", "a.b.c", "good.YQ.YQ", "%00", "=", "\u{7F}",
        ]
        return names.flatMap { name in values.map { "Also-Cookie: pippin-\(name)=\($0)" } }
    }()

    static let methods = ["GET", "POST", "PUT", "DELETE", "HEAD", "OPTIONS", "PATCH", "TRACE", "CONNECT", "get", "X"]
}
