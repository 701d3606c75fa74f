import ObjectStore

/// A request that is refused or failed: its kind, a stable code, and text that says what to do next.
///
/// Nothing internal, no path and no library's message stands in it. It knows no protocol: over HTTP it
/// is answered as `application/problem+json` (RFC 9457), with the status that its kind has there.
package struct RequestFault: Error, Sendable {
    /// One fault of a request; a reply lists all that were found.
    package struct Entry: Sendable, Equatable {
        /// What kind of fault, in the same vocabulary as ``RequestFault/code``.
        package var code: String
        /// What is wrong and what would be right.
        package var detail: String
        /// Where in the body, as a JSON pointer (RFC 6901).
        package var pointer: String?
        /// The query parameter, header or path parameter that has the fault.
        package var parameter: String?
        /// Where in a query's text, from 1.
        package var column: Int?
        /// The nearest name that is known.
        package var hint: String?

        /// Describes a fault.
        package init(
            code: String, detail: String, pointer: String? = nil, parameter: String? = nil,
            column: Int? = nil, hint: String? = nil
        ) {
            self.code = code
            self.detail = detail
            self.pointer = pointer
            self.parameter = parameter
            self.column = column
            self.hint = hint
        }
    }

    /// What went wrong, for programs that must not know every code.
    package var kind: Kind
    /// The stable name of the error, such as `"object-not-found"`.
    package var code: String
    /// What happened and what to do next.
    package var detail: String
    /// Each fault of the request.
    package var errors: [Entry] = []
    /// Of a failed precondition the object as it is.
    package var current: StoredObject?
    /// Seconds after which trying again makes sense.
    package var retryAfterSeconds: Int?
    /// What would be taken instead: the methods of an unsupported operation, the media types of a body
    /// that is not read. Separated by commas.
    package var alternatives: String?

    /// Describes an error.
    package init(
        _ kind: Kind, _ code: String, _ detail: String, errors: [Entry] = [],
        current: StoredObject? = nil, retryAfterSeconds: Int? = nil, alternatives: String? = nil
    ) {
        self.kind = kind
        self.code = code
        self.detail = detail
        self.errors = errors
        self.current = current
        self.retryAfterSeconds = retryAfterSeconds
        self.alternatives = alternatives
    }

    /// An error that is one fault at a known location of the request.
    package static func located(
        _ kind: Kind, _ code: String, _ detail: String, pointer: String? = nil,
        parameter: String? = nil, column: Int? = nil, hint: String? = nil
    ) -> RequestFault {
        let entry = Entry(
            code: code, detail: detail, pointer: pointer, parameter: parameter, column: column,
            hint: hint)
        return RequestFault(kind, code, detail, errors: [entry])
    }

    /// A malformed parameter.
    package static func parameter(_ name: String, _ detail: String, hint: String? = nil)
        -> RequestFault
    {
        .located(.malformed, "invalid-parameter", detail, parameter: name, hint: hint)
    }
}
