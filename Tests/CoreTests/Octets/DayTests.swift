import Core
import Testing

@Suite struct `A day` {
    @Test(arguments: [
        ("1970-01-01", 0), ("2026-11-20", 1_795_132_800), ("2000-02-29", 951_782_400), ("2024-02-29", 1_709_164_800),
        ("9999-12-31", 253_402_214_400), ("2100-03-01", 4_107_542_400),
    ]) func `begins at midnight in UTC`(text: String, seconds: Int) {
        #expect(Timestamp(day: text)?.seconds == seconds)
    }

    @Test(arguments: [
        "", "2026-11-31", "2026-02-29", "2100-02-29", "2026-13-01", "2026-00-10", "2026-1-1", "2026-11-2x",
        "1969-12-31", "20261120", "2026-11-20T", "-026-11-20", "2026-11-00", "2026--1-20",
    ]) func `is nothing else`(text: String) { #expect(Timestamp(day: text) == nil) }
}
