import HoldfastBytes
import Glibc
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastObjectSupport
import HoldfastStoreService
import HoldfastTestSupport

/// The use cases of a store with a schema, without a server. It is for the program itself; one thread at a time uses it.
package final class TestService {
    /// The use cases.
    package let served: ServedStore
    /// The store.
    package var store: Store { served.store }
    /// Who reads and writes.
    package var caller = Caller.program

    /// Opens the use cases of an empty store.
    package init(
        _ engine: EngineCase = .memory, classes: [ObjectClass],
        options: StoreOptions = StoreOptions(), limits: ServiceLimits = ServiceLimits(),
        reportSlow: @escaping @Sendable (SlowQuery) -> Void = { _ in },
        reportRefused: @escaping @Sendable (RefusedAct) -> Void = { _ in }
    ) throws {
        var options = options
        // With HOLDFAST_OUTSIDE=1 every test uses out-of-line values.
        if getenv("HOLDFAST_OUTSIDE") != nil { options.overflowLimits = .tiny }
        // As much as a store in a file takes.
        let engine = try engine.open(valueByteCountMax: 64 << 20)
        let store = try Store(engine: engine, options: options)
        try store.setSchema(classes)
        served = ServedStore(
            store, limits: limits, report: { _, _ in }, reportSlow: reportSlow,
            reportRefused: reportRefused)
    }

    deinit {
        served.stop()
        store.close()
    }

    // MARK: Reading

    /// Reads a page.
    package func page(_ subject: PageRequest.Subject, _ text: QueryText) throws -> WrittenPage? {
        let request = PageRequest(subject, text, for: caller)
        return try served.reply(to: request) { reply in
            WrittenPage(String(decoding: reply.text.bytes, as: UTF8.self), reply.page)
        }
    }

    /// Reads a page of the query that a body states.
    package func page(_ subject: PageRequest.Subject, body: String) throws -> WrittenPage? {
        try page(subject, query(body))
    }

    /// Reads a page of a collection or an inverse link.
    package func page(of property: String, of object: ObjectAddress, _ text: QueryText) throws
        -> WrittenPage?
    {
        let reading = PropertyRead(
            RequestBytes(property), of: object, text, shownBy: nil, quotesLargeInts: false,
            for: caller)
        let page = try served.reply(to: reading) { reply -> WrittenPage? in
            guard case .page(let page, let buffer) = reply else { return nil }
            return WrittenPage(String(decoding: buffer.bytes, as: UTF8.self), page)
        }
        return page ?? nil
    }

    /// Reads an object, with the properties that `fields` names.
    package func object(_ object: ObjectAddress, fields: String? = nil) throws -> String? {
        let reading = ObjectRead(
            object, isProjected: false, for: caller, fields: fields)
        return try served.reply(to: reading) { _ in
            String(decoding: RequestScratch.current.reply.bytes, as: UTF8.self)
        }
    }

    /// The query that a body states.
    private func query(_ body: String) throws -> QueryText {
        let bytes = RequestBytes(body)
        return try withExtendedLifetime(bytes) {
            try QueryText(
                body: served.json(bytes.bytes, RequestScratch.current.parser, isQuery: true),
                byteCount: bytes.bytes.count, within: served.limits)
        }
    }

    // MARK: Writing

    /// Creates an object, or replaces it.
    @discardableResult
    package func put(_ object: ObjectAddress, _ json: String) throws -> ServedStore.Answer {
        try write(.named(object, isMerge: false), json, .replace)
    }

    /// Creates an object of a class.
    @discardableResult
    package func create(_ className: String, _ json: String) throws -> ServedStore.Answer {
        try write(.new(RequestBytes(className), isArray: false), json, .create)
    }

    /// Writes the objects of an array.
    @discardableResult
    package func write(
        _ className: String, array json: String, _ mode: WriteMode = .create
    ) throws -> ServedStore.Answer {
        try write(.new(RequestBytes(className), isArray: true), json, mode)
    }

    /// Writes an object of a class in a mode.
    @discardableResult
    package func write(
        _ className: String, _ json: String, _ mode: WriteMode
    ) throws -> ServedStore.Answer {
        try write(.new(RequestBytes(className), isArray: false), json, mode)
    }

    /// Changes an element of a collection.
    @discardableResult
    package func element(
        _ action: ElementWrite.Action, _ object: ObjectAddress, _ property: String,
        _ element: ElementAddress.Element = .none, _ json: String = ""
    ) throws -> ServedStore.Answer {
        try served.make(
            ElementWrite(
                action, ElementAddress(object, RequestBytes(property), element),
                RequestBytes(json), for: caller, in: served))
    }

    /// Changes or deletes the objects of a class that a filter finds.
    ///
    /// - `json`: A merge patch; nil deletes them.
    @discardableResult
    package func change(
        _ className: String, where filter: String, _ json: String?, affectedCountMax: Int? = nil
    ) throws -> ServedStore.Answer {
        var text = QueryText()
        text.filter = filter
        var change = BulkChange(
            of: .ofClass(className), text,
            json.map { PatchBody(RequestBytes($0), isJSONPatch: false) },
            for: caller, in: served)
        change.affectedCountMax = affectedCountMax
        return try served.make(change)
    }

    /// Applies a JSON patch.
    @discardableResult
    package func patch(
        _ object: ObjectAddress, _ json: String
    ) throws -> ServedStore.Answer {
        try write(.patched(object), json, .update)
    }

    /// Changes what a merge patch states.
    @discardableResult
    package func merge(_ object: ObjectAddress, _ json: String) throws -> ServedStore.Answer {
        try write(.named(object, isMerge: true), json, .update)
    }

    /// Makes the operations of a transaction.
    @discardableResult
    package func transaction(_ operations: [String]) throws -> ServedStore.Answer {
        let body = "{\"operations\":[\(operations.joined(separator: ","))]}"
        return try served.make(TransactionWrite(RequestBytes(body), for: caller, in: served))
    }

    /// Deletes an object.
    package func delete(_ object: ObjectAddress) throws {
        _ = try write(.deleted(object), "", .update)
    }

    /// Changes all objects of a class by a merge patch.
    package func patchAll(_ className: String, _ json: String) throws {
        let patch = PatchBody(RequestBytes(json), isJSONPatch: false)
        let change = BulkChange(
            of: .ofClass(className), QueryText(), patch, for: caller, in: served)
        _ = try served.make(change) { write in
            try served.withRead(for: .program) { read throws(RequestFault) in
                try write.amend { change throws(RequestFault) in try change.search(read) }
            }
        }
    }

    private func write(
        _ subject: ObjectWrite.Subject, _ json: String, _ mode: WriteMode
    ) throws -> ServedStore.Answer {
        try served.make(
            ObjectWrite(
                subject, RequestBytes(json), mode, .none, for: caller, in: served))
    }
}
