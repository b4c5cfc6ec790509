import Bytes
import Localization
import Web

extension ServiceIDForm {
    /// Error summary above the form; each line names its field or its return URL row, and links to it.
    func summary(of problems: FormProblems) -> [FormError] {
        problems.summary(element) { field in
            guard let row = row(of: field) else { return FormProblems.label(of: field) }
            return Message("console.service-ids.return-url", ["number": row + 1])
        }
    }

    func line(of field: String) -> String? { domains.line(of: field, in: "domains") }

    func element(of field: String) -> String {
        if field == "returnURLs" { return "return-urls" }
        if field.hasPrefix("domains") { return "field-domains" }
        return row(of: field).map(ReturnURLsView.id) ?? "field-\(field)"
    }

    /// Row on the page of an error of a return URL; errors number the nonempty rows only.
    private func row(of field: String) -> Int? {
        guard field.hasPrefix("returnURLs["), let index = Int(field.dropFirst(11).dropLast()), index < filledRows.count
        else { return nil }
        return filledRows[index].row
    }
}
