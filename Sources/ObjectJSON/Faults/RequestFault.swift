import HoldfastJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastQuery
import HoldfastRows
import HoldfastText

/// A request that is refused or failed: its kind, a stable code, and text that names the next step.
///
/// Nothing internal, no path and no library's message stands in it. It knows no protocol: over HTTP it
/// is answered as `application/problem+json` (RFC 9457), with the status that its kind has there.
package struct RequestFault: Error, Sendable {
    /// One fault of a request; a reply lists all that were found.
    package struct Entry: Sendable, Equatable {
        /// The kind of fault, in the same vocabulary as ``RequestFault/code``.
        package var code: String
        /// A sentence that names the fault and the remedy.
        package var detail: String
        /// The position in the body, as a JSON pointer (RFC 6901).
        package var pointer: String?
        /// The query parameter, header or path parameter that has the fault.
        package var parameter: String?
        /// The position in a query's text, from 1.
        package var column: Int?
        /// The nearest name that is known.
        package var hint: String?

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
    /// A sentence that names the fault and the next step.
    package var detail: String
    package var errors: [Entry] = []
    /// Of a failed precondition the object as it is.
    package var current: StoredObject?
    /// The JSON of the current object as a projection shows it; nil for the form of its class.
    package var currentJSON: [UInt8]?
    /// Whether ints beyond 2^53 of the current object are strings.
    package var quotesLargeInts = false
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
    /// - `detail`: The detail if there is no fault.
    package static func several(
        _ kind: Kind, _ code: String, _ faults: FaultList, _ detail: String
    ) -> RequestFault {
        RequestFault(
            kind, code, FaultList.told(faults.entries.first?.detail ?? detail, of: faults.count),
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

extension RequestFault.Entry {
    /// Writes the members `code` and `detail` and, where it has them, `pointer`, `parameter`, `column` and `hint`.
    package func write(to object: inout JSONObjectWriter) {
        object.member("code").string(code)
        object.member("detail").string(detail)
        if let pointer { object.member("pointer").string(pointer) }
        if let parameter { object.member("parameter").string(parameter) }
        if let column { object.member("column").int(Int64(column)) }
        if let hint { object.member("hint").string(hint) }
    }
}

extension RequestFault {
    /// The fault of a query, sort list or path that was refused.
    ///
    /// - `parameter`: The query parameter that holds the text, or nil for a member of a body.
    /// - `pointer`: The position of the text in a body.
    package init(_ error: QueryError, parameter: String?, pointer: String? = nil) {
        var name = parameter
        var location = pointer
        if let index = error.argumentIndex {
            if parameter != nil { name = "arg" } else { location = "/args/\(index)" }
        }
        self.init(
            .malformed, "invalid-query", "Column \(error.column): \(error.message)",
            errors: [
                Entry(
                    code: "query-\(error.kind.rawValue)", detail: error.message, pointer: location,
                    parameter: name, column: error.column, hint: error.hint)
            ])
    }

    /// The kinds of faults, by the client's next step. The code that answers switches over all of them.
    package enum Kind: Sendable {
        /// The request can't be understood: its syntax, a parameter, a query.
        case malformed
        /// The request needs a token, or has one that is not known.
        case unauthenticated
        /// The client may not do this.
        case forbidden
        /// There is no such class, object, element or projection.
        case notFound
        /// The class, or the collection, is of a kind that has no such operation.
        case unsupportedOperation
        /// No form that the client accepts can hold the result.
        case notAcceptable
        /// The store's present state does not allow it: a key or value that is taken, another revision.
        case conflict
        /// The state that the request continues from is no longer kept.
        case expired
        /// The object is not in the state that the request asks for.
        case preconditionFailed
        /// The request's body comes too slowly.
        case tooSlow
        /// The request has more bytes than are taken.
        case tooLarge
        /// The body is of a media type that is not read.
        case unsupportedMediaType
        /// The body is of a media type that is no patch here.
        case unsupportedPatchType
        /// The request is for another service.
        case misdirected
        /// The request is well-formed, but it breaks the schema, a rule or a limit.
        case invalid
        /// Something inside failed; the log has the reason.
        case failed
        /// The client asks too often.
        case tooOften
        /// It can't be done now: too much to do, too slow, or about to stop. Trying again makes sense.
        case unavailable
        /// There is no room in the store.
        case storageFull

        /// Whether the request itself is at fault, so that repeating it as it is leads to the same.
        package var isOfRequest: Bool {
            switch self {
            case .failed, .tooOften, .unavailable, .storageFull: false
            case .malformed, .unauthenticated, .forbidden, .notFound, .unsupportedOperation,
                .notAcceptable, .conflict, .expired, .preconditionFailed, .tooSlow, .tooLarge,
                .unsupportedMediaType, .unsupportedPatchType, .misdirected, .invalid:
                true
            }
        }
    }

    /// There is no projection of this name.
    package static func unknownProjection(
        _ name: String, _ schema: RowSchema, parameter: String = "projection"
    ) -> RequestFault {
        let shown = RequestFault.shown(name)
        let detail = "There is no projection '\(shown)'."
        return .single(
            .notFound, "unknown-projection", detail, parameter: parameter,
            hint: NearestName.of(name, among: schema.projections.map(\.name)))
    }

    /// A change of classes or projections that would break projections.
    package init(brokenProjections faults: [ProjectionFault]) {
        let names = Set(faults.map(\.projection)).sorted().map { "'\($0)'" }
        self.init(
            .conflict, "breaks-projection",
            "The change would break the projection\(names.count == 1 ? "" : "s") "
                + names.prefix(10).joined(separator: ", ") + (names.count > 10 ? " and others" : "")
                + "; nothing was changed. Change or delete " + (names.count == 1 ? "it" : "them")
                + " first." + FaultList.excess(of: faults.count),
            errors: FaultList(faults) { fault in
                let location = fault.property.map { ", property '\($0)'" } ?? ""
                return Entry(
                    code: "breaks-projection",
                    detail: "Projection '\(fault.projection)'\(location): \(fault.detail)",
                    hint: fault.hint)
            }.entries)
    }

    /// Makes the fault of a definition with faults of its own.
    package static func projection(_ faults: FaultList) -> RequestFault {
        .definition("invalid-projection", faults, "The projection is refused.")
    }
}

extension ProjectionFault {
    var hint: String? { unknown.flatMap { NearestName.of($0, among: known) } }

    /// Makes the fault of a definition that is the body of a request.
    package func inBody(_ projection: Projection) -> RequestFault.Entry {
        var pointer = JSONPointer()
        if let property {
            pointer = pointer.appending("properties").appending(property)
        } else if unknown == projection.className {
            pointer = pointer.appending("class")
        }
        return RequestFault.Entry(
            code: "invalid-projection", detail: detail, pointer: pointer.description, hint: hint)
    }
}

extension RequestFault {
    /// More work waits than the server takes.
    package static let tooBusy = RequestFault(
        .unavailable, "busy", "The server is too busy; try again.", retryAfterSeconds: 1)

    /// The version of `minVersion` did not come in time.
    package static let versionNotReached = RequestFault(
        .unavailable, "version-not-reached",
        "The store has not reached this version yet; try again.", retryAfterSeconds: 1)

    /// The code of operations that an asymmetric class does not have.
    package static let asymmetricCode = "asymmetric-class"

    /// Makes the fault of an operation that an asymmetric class does not have. Its objects are created, consumed and forgotten.
    package static func asymmetricClass(_ rowClass: RowClass) -> RequestFault {
        let name = rowClass.definition.name
        return RequestFault(
            .unsupportedOperation, asymmetricCode,
            "Class '\(name)' is asymmetric: its objects are created (POST to its 'objects' or 'import', or "
                + "'create' in a transaction), and consumed and acknowledged at its 'outbox' (GET and "
                + "DELETE). Nothing else reads or changes them.")
    }

    /// Cuts a name from a request where it would make an error unreadable.
    package static func shown(_ name: String) -> String {
        name.count <= 64 ? name : String(name.prefix(64)) + "…"
    }

    package static func unknownClass(_ name: String, _ schema: RowSchema) -> RequestFault {
        let shown = RequestFault.shown(name)
        var detail = "There is no class '\(shown)'."
        let classes = schema.definition.classes
        let hint = NearestName.of(name, among: classes.lazy.map(\.name))
        if hint == nil, (1...classCountMax).contains(classes.count) {
            detail += " The classes are \(classes.map(\.name).sorted().joined(separator: ", "))."
        }
        return .single(.notFound, "unknown-class", detail, parameter: "class", hint: hint)
    }

    /// A schema with more classes is not listed in a fault.
    private static let classCountMax = 12

    /// Makes the fault of a property that the class does not have.
    package static func unknownProperty(_ name: String, _ rowClass: RowClass) -> RequestFault {
        let shown = RequestFault.shown(name)
        let detail = "Class '\(rowClass.definition.name)' has no property '\(shown)'."
        let properties = rowClass.definition.properties
        return .single(
            .notFound, "unknown-property", detail, parameter: "property",
            hint: rowClass.member(named: name).map { properties[$0].name }
                ?? NearestName.of(name, among: rowClass.knownNames))
    }

    /// A text that is not the JSON it should be.
    package init(_ error: JSONError, in text: UnsafeRawBufferPointer) {
        switch error.code {
        case .outOfMemory: self = .outOfMemory
        case .internal: self.init(.failed, "internal-error", "The body could not be read.")
        default:
            let (line, column) = error.position(in: text)
            self = .single(
                .malformed, error.code == .tooDeep ? "too-deep" : "malformed-json",
                "The body can't be read as JSON: line \(line), column \(column): "
                    + "\(error.message)." + Self.advice(error, in: text), partDetail: error.message,
                column: column)
        }
    }

    /// The sentence about a text that another product takes for JSON, with a blank before it; empty without one.
    private static func advice(_ error: JSONError, in text: UnsafeRawBufferPointer) -> String {
        let rest = text.dropFirst(error.offset)
        let word = String(decoding: rest.prefix(9), as: UTF8.self)
        switch error.code {
        case .trailingContent where word.hasPrefix("{"):
            return
                " Several objects are sent to an import, each on a line, as application/x-ndjson."
        case .expectedValue, .invalidNumber:
            let isNamed = ["NaN", "Infinity", "-Infinity"].contains { word.hasPrefix($0) }
            guard isNamed else { return "" }
            return " JSON has no such number: a float or double takes \"NaN\", \"Infinity\" or "
                + "\"-Infinity\" in quotes, a mixed value {\"$double\":\"NaN\"}."
        default: return ""
        }
    }
}

extension JSONParser {
    /// Reads the one value of a text, which is valid as long as the parser, and until it reads another.
    ///
    /// - Throws: ``RequestFault`` with the line and column at which the JSON is invalid.
    package func value(of text: UnsafeRawBufferPointer) throws(RequestFault) -> JSONValue {
        do throws(JSONError) {
            return try parse(text)
        } catch {
            throw RequestFault(error, in: text)
        }
    }

    /// Reads the one value of a text, as ``value(of:)-(UnsafeRawBufferPointer)`` does.
    package func value(of text: [UInt8]) throws(RequestFault) -> JSONValue {
        let result = text.withUnsafeBytes { bytes in
            Result<JSONValue, RequestFault> { () throws(RequestFault) in try value(of: bytes) }
        }
        return try result.get()
    }
}
