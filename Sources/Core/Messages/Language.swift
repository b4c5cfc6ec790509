/// A language of the pages and emails.
///
/// The raw value is the language tag (BCP 47), which is also the name of the folder with its texts.
public enum Language: String, Hashable, Sendable, CaseIterable {
    case english = "en"
    case german = "de"
    case russian = "ru"
    case chinese = "zh-Hans"
    case indonesian = "id"

    /// The language tag for `<html lang>` and `Content-Language`.
    public var tag: String { rawValue }
}
