import Bytes
import Localization
import Templates
import Web

/// Layout data of a page in the operators' area.
struct OperatorFrame: Sendable {
    let plain: PlainFrame
    let section: OperatorSection

    init(_ context: AccountContext, _ title: any LocalizedTextConvertible, at section: OperatorSection) {
        plain = context.frame(Message("console.operator.frame.title", ["page": title]))
        self.section = section
    }
}

/// A page of the operators' area.
protocol OperatorPage: View, SendableMetatype { var frame: OperatorFrame { get } }

extension OperatorPage {
    /// Fields of `layouts/console-operator`, to which a page adds its own.
    static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { _ in "en" }
            $0.words("title") { $0.frame.plain.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.plain.assets }
            $0.group("chrome", PlainChrome.fields) { $0.frame.plain.chrome }
            $0.group("at", OperatorSection.fields) { $0.frame.section }
        }
    }
}
