import Bytes
import HTTP
import Web

extension String {
    /// The text without surrounding white space, which pasting often adds.
    var trimmed: String { trimmedWhiteSpace }
}

extension Form {
    /// Whether a check box is checked: a browser sends the field only then.
    func isChecked(_ name: String) -> Bool { self[name] != nil }

    /// Version of the row from which the form was filled.
    ///
    /// - Throws: `UserFacingError.staleForm` if there is none, because the console's own form always sends it.
    func version() throws(UserFacingError) -> Int {
        guard let text = self["version"], let version = Int(text) else { throw .staleForm }
        return version
    }
}
