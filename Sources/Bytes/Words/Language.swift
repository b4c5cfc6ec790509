/// A language that pages and mails are written in.
///
/// Its raw value is the language tag (BCP 47), which also names the folder of its texts.
public enum Language: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case russian = "ru"
    case chinese = "zh-Hans"
    case indonesian = "id"

    /// As `<html lang>` and `Content-Language` say it.
    public var tag: String { rawValue }
}
