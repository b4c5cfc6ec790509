import Bytes
import Templates
import Web

/// What every page of the operators' area carries.
struct OperatorFrame: Sendable {
    let plain: PlainFrame
    let section: OperatorSection

    init(_ visit: Visit, _ title: any Wording, at section: OperatorSection) {
        plain = visit.frame(Phrase("console.operator.frame.title", ["page": title]))
        self.section = section
    }
}

/// A page of the operators' area.
protocol OperatorPage: View, SendableMetatype {
    var frame: OperatorFrame { get }
}

extension OperatorPage {
    /// The fields of `layouts/console-operator`; a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self>()
            .text("lang") { _ in "en" }
            .words("title") { $0.frame.plain.title }
            .group("assets", AssetLinks.fields) { $0.frame.plain.assets }
            .group("chrome", PlainChrome.fields) { $0.frame.plain.chrome }
            .group("at", OperatorSection.fields) { $0.frame.section }
    }
}
