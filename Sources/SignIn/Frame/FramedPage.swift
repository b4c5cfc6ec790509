public import Core
public import Templates

/// A page in a layout, which shows its frame around it.
public protocol FramedPage<Frame>: View, SendableMetatype {
    associatedtype Frame: PageFrame

    var frame: Frame { get }
}

/// What a layout shows around its pages: title, files to load, and fields of its own.
public protocol PageFrame: Sendable {
    /// Languages of the pages; English alone by default.
    static var languages: [Language] { get }
    var language: Language { get }
    var title: LocalizedText { get }
    var assets: AssetLinks { get }

    /// Declares the other fields of the layout.
    static func declare<Page: FramedPage<Self>>(in fields: inout Fields<Page>)
}

extension PageFrame {
    public static var languages: [Language] { [.english] }
    public var language: Language { .english }
}

extension FramedPage {
    public static var languages: [Language] { Frame.languages }
    public var language: Language { frame.language }

    /// The fields of the layout, to which a page adds its own.
    public static var frameFields: Fields<Self> {
        Fields<Self> {
            $0.text("lang") { $0.frame.language.tag }
            $0.words("title") { $0.frame.title }
            $0.group("assets", AssetLinks.fields) { $0.frame.assets }
            Frame.declare(in: &$0)
        }
    }
}
