import Core
import Crypto
import HTTP

// Fields that Public/factors.js writes into a form.
extension Form {
    /// Response of a passkey that signed in; nil if the form contains none.
    var assertion: AssertionResponse? {
        guard let credential = octets("credential_id"), !credential.isEmpty, let client = octets("client_data"),
            let data = octets("authenticator_data"), let signature = octets("signature"),
            let handle = octets("user_handle")
        else { return nil }
        return AssertionResponse(
            credentialID: credential, clientDataJSON: client, authenticatorData: data, signature: signature,
            userHandle: handle.isEmpty ? nil : handle)
    }

    /// Response of a new passkey; nil if the form contains none.
    var registration: RegistrationResponse? {
        guard let client = octets("client_data"), !client.isEmpty, let data = octets("authenticator_data") else {
            return nil
        }
        return RegistrationResponse(clientDataJSON: client, authenticatorData: data)
    }

    /// Transports that the new passkey reports.
    var transports: [String] { (self["transports"] ?? "").split(separator: " ").map(String.init) }

    /// Decodes a base64url field; nil if it is longer than any authenticator's response.
    private func octets(_ name: String) -> [UInt8]? {
        guard let text = self[name], text.utf8.count <= 8192 else { return nil }
        return Base64URL.decode(text)
    }
}
