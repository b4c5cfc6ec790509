import Bytes
import HTTP
import Web

extension String {
    /// Without white space around it, which pasting brings along.
    var trimmed: String { trimmedWhiteSpace }
}

extension Form {
    /// A check box: a browser sends it or not.
    func isChecked(_ name: String) -> Bool {
        self[name] != nil
    }

    /// The version of the row the form was filled from.
    ///
    /// - Throws: `Problem`, since only a form of ours carries one.
    func version() throws(Web.Problem) -> Int {
        guard let text = self["version"], let version = Int(text) else { throw .staleForm }
        return version
    }
}
