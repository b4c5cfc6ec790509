import Directory
import HTTP
import SignIn
import Templates

/// Settings of the simulator.
struct DeskPage: View {
    static let template = "simulator/desk"
    static let fields = Fields<DeskPage> {
        $0.text("lang") { _ in "en" }
        $0.text("title") { _ in "The Apple simulator" }
        $0.group("assets", AssetLinks.fields) { $0.assets }
        $0.text("homeURL") { _ in Routes.desk.link() }
        $0.optionalText("done") { $0.done?.words }
        $0.text("action") { _ in Routes.desk.link() }
        $0.list("people", ChoiceRow.fields) { page in
            Performer.allCases.map { ChoiceRow($0, isChosen: page.script.turn == .always($0)) }
        }
        $0.text("population") { _ in Script.Turn.populationName }
        $0.flag("populationChosen") { if case .population = $0.script.turn { true } else { false } }
        $0.text("notificationsURL") { _ in Routes.notifications.link() }
        $0.list("events", ChoiceRow.fields) { _ in News.allCases.map { ChoiceRow($0) } }
        $0.list("places", PlaceView.fields) { page in
            Place.allCases.map { PlaceView(place: $0, fault: page.script.fault(at: $0)) }
        }
    }

    let assets: AssetLinks
    let script: Script
    let done: Simulator.Done?
}

/// Selection of the user that signs in, in place of Apple's sheet.
struct PeoplePage: View {
    static let template = "simulator/people"
    static let fields = Fields<PeoplePage> {
        $0.text("lang") { _ in "en" }
        $0.text("title") { _ in "Sign in at the Apple simulator" }
        $0.group("assets", AssetLinks.fields) { $0.assets }
        $0.text("homeURL") { _ in Routes.desk.link() }
        $0.text("appName") { $0.appName }
        $0.text("action") { $0.action }
        $0.list("people", ChoiceRow.fields) { _ in Performer.allCases.map { ChoiceRow($0, isChosen: false) } }
    }

    let assets: AssetLinks
    let appName: String
    let action: String
}

/// An option of a form.
struct ChoiceRow: Sendable {
    let value: String
    let label: String
    let note: String
    let isChosen: Bool

    static let fields = Fields<ChoiceRow> {
        $0.text("value") { $0.value }
        $0.text("label") { $0.label }
        $0.text("note") { $0.note }
        $0.flag("chosen") { $0.isChosen }
    }

    init(_ performer: Performer, isChosen: Bool) {
        value = performer.rawValue
        label = performer.name.full
        self.isChosen = isChosen
        note =
            switch performer {
            case .newcomer: "signs in for the first time, every time"
            case .regular: "shares name and address the first time"
            case .hidden: "hides the email address"
            case .managed: "has an account of a school: its address is not verified"
            case .child: "has a child’s account, without an address"
            case .reluctant: "cancels"
            case .passerby: "is one of a thousand people"
            }
    }

    init(_ event: News) {
        value = event.rawValue
        note = ""
        isChosen = false
        label =
            switch event {
            case .consentRevoked: "stops using the apps"
            case .accountDelete: "deletes their Apple account (account-delete)"
            case .accountDeleted: "deletes their Apple account (account-deleted)"
            case .emailDisabled: "wants no mail forwarded"
            case .emailEnabled: "wants mail forwarded again"
            }
    }

    init(_ fault: Fault, isChosen: Bool) {
        value = fault.rawValue
        note = ""
        self.isChosen = isChosen
        label =
            switch fault {
            case .slow: "answers two seconds late"
            case .silent: "does not answer"
            case .trouble: "answers 503 and does nothing"
            case .broken: "does it, and breaks the connection"
            case .malformed: "answers something that is no JSON"
            case .throttled: "answers 429"
            case .moody: "fails half of the time, before it is done or after"
            case .badRequest: "answers invalid_request"
            case .unknownClient: "answers invalid_client"
            case .unknownKey: "signs with a key it does not publish"
            case .newKey: "signs with a new key"
            case .otherIssuer: "names another issuer"
            case .otherAudience: "issues for another client"
            case .expired: "issues an expired token"
            case .ahead: "issues a token from the future"
            case .otherNonce: "issues a token of another sign-in"
            }
    }
}

/// A place with its possible faults.
struct PlaceView: Sendable {
    let place: Place
    let fault: Fault?

    static let fields = Fields<PlaceView> {
        $0.text("name") { $0.place.rawValue }
        $0.text("label") { $0.label }
        $0.list("faults", ChoiceRow.fields) { view in
            view.place.faults.map { ChoiceRow($0, isChosen: view.fault == $0) }
        }
    }

    private var label: String {
        switch place {
        case .browser: "The answer through the browser or the app"
        case .token: "The token endpoint"
        case .keys: "The key set"
        case .discovery: "The discovery document"
        case .revocation: "The revocation endpoint"
        }
    }
}
