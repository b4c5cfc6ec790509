import Core
import HTTP
import OAuth
import Platform
import SignIn

// Sign-in on a device: only the response of Apple's framework is simulated, not the sheet.
extension Simulator {
    /// Returns to an app what Apple's framework returns, for a form with `client_id`, `person` and `nonce`.
    ///
    /// The response contains the parameters of `/auth/native`, with `client_id`.
    func authorizeOnDevice(_ request: Request) async throws -> Response {
        let (form, team) = (try request.form(), try await snapshot())
        guard let client = form["client_id"].flatMap(ClientID.init(rawValue:)).flatMap(team.client),
            let performer = form["person"].flatMap(Performer.init(rawValue:))
        else { throw UserFacingError.wrongChoice }
        // As long as Pippin's own nonces may be, and without NUL, which the database rejects.
        let nonce = form["nonce"]
        guard nonce.map({ $0.utf8.count <= 512 && !$0.utf8.contains(0) }) ?? true else {
            throw UserFacingError.wrongChoice
        }
        let judged = AuthorizationRequest.native(client, nonce: nonce)
        let interaction = flow.open(judged, in: self.team, from: request.auditOrigin)
        try await flow.begin(interaction, browserHash: Self.browser, in: self.team)
        guard var answer = try await answer(performer, interaction, team, request) else {
            throw UserFacingError.wrongChoice
        }
        if let fault = script.take(at: .browser) {
            try answer.replace("id_token") { try forgery(fault, team).forge($0) }
        }
        let given = Dictionary(answer.parameters.map { ($0.name, $0.value) }) { $1 }
        return .json(Array(try handover(given, of: client, performer).utf8))
    }

    private func handover(_ given: [String: String], of client: Client, _ performer: Performer) throws -> String {
        var values: [String: JSONValue] = ["client_id": .string(client.id.rawValue)]
        values["code"] = given["code"].map { .string($0) }
        values["identity_token"] = given["id_token"].map { .string($0) }
        values["user"] = .string(performer.subject.rawValue)
        if let user = try given["user"].map({ try JSON.decode(JSONValue.self, from: Array($0.utf8)) }) {
            values["first_name"] = user["name"]?["firstName"]
            values["last_name"] = user["name"]?["lastName"]
            values["email"] = user["email"]
            values["real_user_status"] = "2"
        }
        return String(decoding: JSON.encode(JSONValue.object(values)), as: UTF8.self)
    }
}
