import Bytes
import Web

extension ServiceIDForm {
    /// The summary above the form; each line names its field, or its row of return URLs, and leads there.
    func summary(of problems: FormProblems) -> [FormError] {
        problems.summary(element) { field in
            guard let row = row(of: field) else { return FormProblems.label(of: field) }
            return Phrase("console.service-ids.return-url", ["number": row + 1])
        }
    }

    func line(of field: String) -> String? { domains.line(of: field, in: "domains") }

    func element(of field: String) -> String {
        if field == "returnURLs" { return "return-urls" }
        if field.hasPrefix("domains") { return "field-domains" }
        return row(of: field).map(ReturnURLsView.id) ?? "field-\(field)"
    }

    /// The row on the page: problems count the rows that have something in them.
    private func row(of field: String) -> Int? {
        guard field.hasPrefix("returnURLs["), let index = Int(field.dropFirst(11).dropLast()),
            index < filledRows.count
        else { return nil }
        return filledRows[index].row
    }
}
