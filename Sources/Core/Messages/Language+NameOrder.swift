extension Language {
    /// Languages in which the family name comes first (CLDR 44, person names, `surnameFirst`).
    private static let familyNameFirst = ["hu", "ja", "ko", "vi", "yue", "zh", "cmn"]

    /// Whether forms ask for the family name first in the first language of some tags, separated by spaces; the pages
    /// need not exist in it.
    public static func putsFamilyNameFirst(_ tags: String) -> Bool {
        let primary = tags.utf8.prefix { ![" ", "-", "_", ",", ";"].contains(Unicode.Scalar($0)) }
        return familyNameFirst.contains(String(decoding: primary, as: UTF8.self).lowercased())
    }
}
