import Bytes
import HTTP
import WebAuthn

// What Public/factors.js put into a form.
extension Form {
    /// The answer of a key that signed in, or nil when there is none.
    var assertion: AssertionResponse? {
        guard let credential = octets("credential_id"), !credential.isEmpty,
            let client = octets("client_data"),
            let data = octets("authenticator_data"), let signature = octets("signature"),
            let handle = octets("user_handle")
        else { return nil }
        return AssertionResponse(
            credentialID: credential,
            clientDataJSON: client,
            authenticatorData: data,
            signature: signature,
            userHandle: handle.isEmpty ? nil : handle
        )
    }

    /// The answer of a new key, or nil when there is none.
    var registration: RegistrationResponse? {
        guard let client = octets("client_data"), !client.isEmpty, let data = octets("authenticator_data")
        else {
            return nil
        }
        return RegistrationResponse(clientDataJSON: client, authenticatorData: data)
    }

    /// How the new key says it can be reached.
    var transports: [String] {
        (self["transports"] ?? "").split(separator: " ").map(String.init)
    }

    /// Binary values travel in base64url; none is longer than an authenticator's answer.
    private func octets(_ name: String) -> [UInt8]? {
        guard let text = self[name], text.utf8.count <= 8192 else { return nil }
        return Base64URL.decode(text)
    }
}
