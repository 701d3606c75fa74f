import ObjectStore

/// An error of a request, answered as `application/problem+json` (RFC 9457).
///
/// Clients switch on `status` and `code`; the rest tells a person what to do next. Nothing internal,
/// no path and no library's message stands in it.
package struct Problem: Error, Sendable {
    /// One fault of a request; a reply lists all that were found.
    package struct Fault: Sendable, Equatable {
        /// What kind of fault, in the same vocabulary as ``Problem/code``.
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

    /// The HTTP status.
    package var status: UInt16
    /// The stable name of the error, such as `"object-not-found"`.
    package var code: String
    /// What happened and what to do next.
    package var detail: String
    /// Each fault of the request.
    package var errors: [Fault] = []
    /// Of a failed precondition the object as it is.
    package var current: StoredObject?
    /// Seconds after which trying again makes sense.
    package var retryAfterSeconds: Int?
    /// Of a 405 the methods that the resource has; nil for none but OPTIONS.
    package var allow: String?
    /// Of a 415 the media types that would be taken.
    package var accept: String?
    /// Whether ``accept`` is about the body of a PATCH.
    package var acceptsPatch = false

    /// Describes an error.
    package init(
        _ status: UInt16, _ code: String, _ detail: String, errors: [Fault] = [],
        current: StoredObject? = nil, retryAfterSeconds: Int? = nil
    ) {
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.current = current
        self.retryAfterSeconds = retryAfterSeconds
    }

    /// A malformed parameter: 400.
    package static func parameter(_ name: String, _ detail: String, hint: String? = nil) -> Problem
    {
        Problem(
            400, "invalid-parameter", detail,
            errors: [Fault(code: "invalid-parameter", detail: detail, parameter: name, hint: hint)])
    }
}
