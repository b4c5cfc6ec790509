/// An app that runs what others develop, for a try, under its own bundle ID.
///
/// Apple's tokens name that bundle ID, and whoever runs anything in the wrapper gets such tokens; so none is taken for a team's
/// own app.
public enum WrapperApp {
    private static let names = [
        "host.exp.exponent": "Expo Go", "io.ionic.devapp": "Ionic DevApp", "com.ionic.viewapp": "Ionic View",
        "org.nativescript.preview": "NativeScript Preview", "com.adobe.phonegap.app": "PhoneGap Developer",
    ]

    /// A sentence for the app's developers; nil unless the identifier is a wrapper's.
    public static func advice(on identifier: String) -> String? {
        names[identifier.lowercased()].map {
            "\(identifier) is the bundle ID of \($0), in which the app ran: build the app under its own bundle ID"
        }
    }
}
