import HoldfastObjectStore

/// A request that is refused or failed: its kind, a stable code, and text that says what to do next.
///
/// Nothing internal, no path and no library's message stands in it. It knows no protocol: over HTTP it
/// is answered as `application/problem+json` (RFC 9457), with the status that its kind has there.
package struct RequestFault: Error, Sendable {
    /// One fault of a request; a reply lists all that were found.
    package struct Entry: Sendable, Equatable {
        /// The kind of fault, in the same vocabulary as ``RequestFault/code``.
        package var code: String
        /// A sentence that says what is wrong and what would be right.
        package var detail: String
        /// The position in the body, as a JSON pointer (RFC 6901).
        package var pointer: String?
        /// The query parameter, header or path parameter that has the fault.
        package var parameter: String?
        /// The position in a query's text, from 1.
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

    /// The kind of error, for programs that don't know every code.
    package var kind: Kind
    /// The stable name of the error, such as `"object-not-found"`.
    package var code: String
    /// A sentence that says what happened and what to do next.
    package var detail: String
    /// Each fault of the request.
    package var errors: [Entry] = []
    /// Of a failed precondition the object as it is.
    package var current: StoredObject?
    /// The JSON of the current object as a projection shows it; nil for the form of its class.
    package var currentJSON: [UInt8]?
    /// Seconds after which trying again makes sense.
    package var retryAfterSeconds: Int?
    /// The alternatives that are accepted: the methods of an unsupported operation, the media types of a body
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

    /// Makes a fault of one part of the request.
    ///
    /// - `partDetail`: The detail of the part, where that of the whole says more.
    package static func single(
        _ kind: Kind, _ code: String, _ detail: String, partDetail: String? = nil,
        pointer: String? = nil, parameter: String? = nil, column: Int? = nil, hint: String? = nil
    ) -> RequestFault {
        let part = Entry(
            code: code, detail: partDetail ?? detail, pointer: pointer, parameter: parameter,
            column: column, hint: hint)
        return RequestFault(kind, code, detail, errors: [part])
    }

    /// Makes the fault of a malformed parameter.
    package static func parameter(_ name: String, _ detail: String, hint: String? = nil)
        -> RequestFault
    {
        .single(.malformed, "invalid-parameter", detail, parameter: name, hint: hint)
    }

    /// Faults of several parts, told by the first one.
    ///
    /// - `detail`: What is told where there is none.
    package static func several(
        _ kind: Kind, _ code: String, _ faults: FaultList, _ detail: String
    ) -> RequestFault {
        RequestFault(
            kind, code,
            FaultList.told(faults.entries.first?.detail ?? detail, of: faults.count),
            errors: faults.entries)
    }

    /// The detail of the first part, without the number of the others.
    package var firstDetail: String { errors.count > 1 ? errors[0].detail : detail }

    /// This fault as that of several parts of a body, which all have faults.
    package func first(of faults: FaultList) -> RequestFault {
        var fault = self
        fault.detail = FaultList.told(firstDetail, of: faults.count)
        fault.errors = faults.entries
        return fault
    }

    /// Makes the fault of a definition with faults: 400 when names repeat, else 422.
    package static func definition(
        _ code: String, _ faults: FaultList, _ detail: String
    ) -> RequestFault {
        if let repeated = faults.entries.first(where: { $0.code == "duplicate-name" }) {
            return RequestFault(
                .malformed, "duplicate-name", repeated.detail, errors: faults.entries)
        }
        return .several(.invalid, code, faults, detail)
    }

    /// Makes the fault of an object, or of a change of one, with faults: 400 when names repeat, else 422.
    static func object(_ faults: FaultList, hasRepeatedName: Bool) -> RequestFault {
        .several(
            hasRepeatedName ? .malformed : .invalid,
            hasRepeatedName ? "duplicate-name" : faults.entries.first?.code ?? "invalid-object",
            faults, "The body can't be stored.")
    }
}
