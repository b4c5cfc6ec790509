/// A form of a page, as much of it as a walk needs.
struct PageForm {
    var action: String
    var isPost: Bool
    /// What has to be typed to confirm it.
    var confirmation: String?
    var fields: [(name: String, value: String)] = []

    /// The forms of a page of ours, whose mark-up is regular.
    static func all(in page: String) -> [PageForm] {
        var found: [PageForm] = []
        for piece in page.split(separator: "<form").dropFirst() {
            let (tag, rest) = piece.cut(at: ">")
            var form = PageForm(action: tag.attribute("action") ?? "", isPost: tag.attribute("method") == "post")
            form.confirmation = tag.attribute("data-confirm")
            let inside = rest.cut(at: "</form>").0
            for part in inside.split(separator: "<") {
                let (tag, text) = part.cut(at: ">")
                let kind = tag.prefix { $0 != " " && $0 != "\n" }
                if kind == "option" {
                    guard tag.contains("selected"), let last = form.fields.indices.last else { continue }
                    form.fields[last].value = tag.attribute("value") ?? ""
                }
                guard ["input", "select", "textarea", "button"].contains(kind), let name = tag.attribute("name") else {
                    continue
                }
                let isOff = ["radio", "checkbox"].contains(tag.attribute("type")) && !tag.contains(" checked")
                let value = kind == "textarea" ? String(text) : tag.attribute("value") ?? ""
                if form.fields.contains(where: { $0.name == name }) {
                    // Of several buttons the first one is meant.
                    guard !isOff, kind != "button" else { continue }
                    form.fields.removeAll { $0.name == name }
                }
                form.fields.append((name, value))
            }
            found.append(form)
        }
        return found
    }
}

extension Substring {
    /// What stands before `mark`, and what behind it.
    fileprivate func cut(at mark: String) -> (Substring, Substring) {
        guard let range = firstRange(of: mark) else { return (self, "") }
        return (self[..<range.lowerBound], self[range.upperBound...])
    }

    fileprivate func attribute(_ name: String) -> String? {
        guard let range = firstRange(of: " \(name)=\"") ?? firstRange(of: "\n\(name)=\"") else { return nil }
        let value = self[range.upperBound...].prefix { $0 != "\"" }
        return String(value).replacing("&amp;", with: "&").replacing("&quot;", with: "\"").replacing("&#39;", with: "'")
    }
}
