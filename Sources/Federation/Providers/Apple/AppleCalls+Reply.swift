import Core
import HTTP

extension AppleCalls {
    /// Apple's answer to a form.
    struct Reply: Sendable {
        let response: ClientResponse
        private let request: ClientRequest
        private let service: AppleService

        init(_ response: ClientResponse, to request: ClientRequest, of service: AppleService) {
            self.response = response
            self.request = request
            self.service = service
        }

        /// The body, if it is a JSON object.
        var object: JSONValue? { AppleCalls.object(response.body) }

        /// The failure that the answer reports.
        var failure: UpstreamFailure { explaining(AppleCalls.failure(of: response)) }

        /// Adds the request and its answer to a failure.
        func explaining(_ failure: UpstreamFailure) -> UpstreamFailure {
            var failure = failure
            failure.exchange = UpstreamExchange(of: request.url, request.form, answer: answer)
            return failure
        }

        private var answer: UpstreamExchange.Answer {
            UpstreamExchange.Answer(
                status: response.status, error: object?["error"]?.string,
                errorDescription: object?["error_description"]?.string,
                // Only the simulator reports faults.
                fault: service.issuer == AppleService.apple.issuer ? nil : response["Stand-In-Fault"])
        }
    }
}

extension ClientRequest {
    /// Fields of the form in the body.
    var form: [FormCoding.Field] { (try? FormCoding.decode(body, maximumFields: 24)) ?? [] }
}
