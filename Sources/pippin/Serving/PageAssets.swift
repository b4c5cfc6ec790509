import Console
import Core
import HTTP
import Platform
import SignIn
import Simulator
import Templates

/// Public files, templates and texts, read once for all loops.
struct PageAssets: Sendable {
    let assets: Assets
    let site: Site

    /// Reads them from the folders of the settings.
    ///
    /// - Throws: `CommandFailure` with every error of every template, or if public files cannot be read.
    init(_ settings: Settings, _ server: ServerContext) throws(CommandFailure) {
        let resources = settings.resources
        do {
            assets = try Assets(folder: resources.publicFiles, fields: [HeaderField(.xContentTypeOptions, "nosniff")])
        } catch { throw CommandFailure("the public files cannot be read: \(describing: error)") }
        let pages = try CommandFailure.ofTemplates { () throws(Diagnostics) in
            let pages = try Pages(
                folder: resources.templates, texts: resources.texts, isWatching: settings.watchesTemplates)
            try pages.check(
                SignIn.views + Console.views + SampleApp.views + Simulator.views + EmailRenderer.views, TextArea.all)
            return pages
        }
        guard let css = assets.link("pippin.css"), let logo = assets.link("pippin.svg"),
            let icons = assets.link("icons.svg"), let js = assets.link("pippin.js").flatMap(SafeURL.init(vetted:)),
            let exit = assets.link("exit.js").flatMap(SafeURL.init(vetted:)),
            let factors = assets.link("factors.js").flatMap(SafeURL.init(vetted:)),
            let script = assets.content("apple-id.js")
        else { throw CommandFailure("a public file is missing in \(resources.publicFiles)") }
        let links = AssetLinks(css: css, js: js, exit: exit, factors: factors, logo: logo, icons: icons)
        site = Site(
            publicURL: server.publicURL, pages: pages, assets: links, webScript: script, keyRing: server.keyRing,
            hsts: settings.hsts)
    }
}

extension CommandFailure {
    /// Makes something with templates.
    ///
    /// - Throws: `CommandFailure` if a template does not match its view.
    static func ofTemplates<Result>(_ make: () throws(Diagnostics) -> Result) throws(CommandFailure) -> Result {
        do { return try make() } catch { throw CommandFailure(error.all.map(\.description)) }
    }
}
