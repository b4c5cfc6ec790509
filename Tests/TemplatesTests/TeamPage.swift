import Templates

/// The page every test fills: one field of each kind.
struct TeamPage: View {
    static let template = "page"
    static let fields = Fields<Self> {
        $0.text("name") { $0.name }
        $0.optionalText("note") { $0.note }
        $0.flag("isActive") { $0.isActive }
        $0.integer("count") { $0.count }
        $0.html("chart") { $0.chart }
        $0.url("next") { $0.next }
        $0.list("people", Person.fields) { $0.people }
        $0.group("owner", Person.fields) { $0.owner }
        $0.optionalGroup("flash", Flash.fields) { $0.flash }
    }

    var name = "Acme"
    var note: String?
    var isActive = false
    var count = 0
    var chart = SafeHTML(trusted: "<svg></svg>")
    var next = TeamPage.home
    var people: [Person] = []
    var owner = Person(name: "Ada")
    var flash: Flash?

    static let home = SafeURL(literal: "/")

    struct Person {
        static let fields = Fields<Self> {
            $0.text("name") { $0.name }
            $0.flag("isOwner") { $0.isOwner }
            $0.list("keys", Key.fields) { $0.keys }
            $0.optionalGroup("device", Flash.fields) { $0.device }
        }

        var name: String
        var isOwner = false
        var keys: [Key] = []
        var device: Flash?
    }

    struct Key {
        static let fields = Fields<Self> { $0.text("id") { $0.id } }

        let id: String
    }

    struct Flash {
        static let fields = Fields<Self> { $0.text("message") { $0.message } }

        let message: String
    }
}

extension TeamPage {
    /// What the page looks like with this template (and others beside it).
    func rendered(_ template: String, _ others: [String: String] = [:]) throws(Diagnostics) -> String {
        let set = TemplateSet(templates: others.merging(["page": template]) { $1 })
        var out: [UInt8] = []
        try set.bind(Self.self).render(self, into: &out)
        return String(decoding: out, as: UTF8.self)
    }

    /// Why the page cannot be bound to this template; empty if it can.
    static func faults(_ template: String, _ others: [String: String] = [:]) -> [String] {
        do throws(Diagnostics) {
            _ = try TeamPage().rendered(template, others)
            return []
        } catch { return error.all.map(\.description) }
    }
}
