import AuthEngine
import Bytes
import HTTPClient

extension AppleCalls {
    /// What Apple answered to a form.
    struct Reply: Sendable {
        let response: ClientResponse
        private let request: ClientRequest
        private let service: AppleService

        init(_ response: ClientResponse, to request: ClientRequest, of service: AppleService) {
            self.response = response
            self.request = request
            self.service = service
        }

        /// The body, where it is a JSON object.
        var object: JSONValue? { AppleCalls.object(response.body) }

        /// The refusal it is.
        var failure: ProviderFailure { explaining(AppleCalls.failure(of: response)) }

        /// The failure with what was asked and answered.
        func explaining(_ failure: ProviderFailure) -> ProviderFailure {
            var failure = failure
            failure.exchange = ProviderExchange(of: request.url, request.form, answer: answer)
            return failure
        }

        private var answer: ProviderExchange.Answer {
            ProviderExchange.Answer(
                status: response.status,
                error: object?["error"]?.string,
                errorDescription: object?["error_description"]?.string,
                // Only a stand-in has faults to tell of.
                fault: service.issuer == AppleService.apple.issuer ? nil : response["Stand-In-Fault"]
            )
        }
    }
}

extension ClientRequest {
    /// The fields of the form it sends.
    var form: [FormCoding.Field] {
        (try? FormCoding.decode(body, maximumFields: 24)) ?? []
    }
}
