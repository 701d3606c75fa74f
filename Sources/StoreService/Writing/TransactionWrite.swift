import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectModel
import HoldfastObjectStore
import HoldfastRows

/// Several operations, which succeed or fail together.
package struct TransactionWrite: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// The outcome of one operation.
    private struct Written {
        /// The class and the key of the object in it.
        var rowClass: RowClass
        var id: Value
        var key: UInt64
        /// The object's version; nil when the transaction has deleted it, or the writer cannot read it.
        var version: UInt64?
        var isDeleted = true
        /// The object as the transaction leaves it, if the reply shows it.
        var shown: ShownObject?

        /// Whether the reply can show the object, or its deletion.
        var isShown: Bool { isDeleted || shown != nil }
    }

    /// How the caller wants the reply.
    package var form = ReplyForm()
    package let caller: Caller
    private let served: ServedStore
    private var body: RequestBytes?
    private var plan = TransactionPlan()
    /// The operation that is being run: the one that failed when the transaction fails.
    private var position = 0
    /// The primary keys that the store has made for named objects, by their object keys.
    private var madeKeys: [ObjectIdentity: Value] = [:]
    private var results: [Written] = []
    /// The meaning of the transaction's source numbers from the number of operations on: a part of the patch of an
    /// operation that names a projection.
    private var projectedSources: [(operation: Int, part: Int)] = []

    /// Makes a transaction of the operations in `body`.
    package init(_ body: RequestBytes, for caller: Caller, in served: ServedStore) {
        self.caller = caller
        self.body = body
        self.served = served
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard let body else { throw served.fault(.closing) }
        plan = try TransactionReader.read(
            try served.json(body.bytes, scratch.parser), names: names, reader: scratch.reader,
            operationCountMax: served.store.options.operationCountMax)
    }

    package mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        if let version = plan.version {
            let present = StoreVersion(epoch: transaction.epoch, number: transaction.baseVersion)
            guard version == present else { throw .refused(RequestFault.storeChanged(present)) }
        }
        madeKeys = [:]
        projectedSources = []
        var keys: [UInt64] = []
        keys.reserveCapacity(plan.operations.count)
        let deadline = served.queryDeadline
        try nameObjects(transaction)
        for (position, operation) in plan.operations.enumerated() {
            try served.checkWriteTime(deadline)
            self.position = position
            do throws(StoreError) {
                keys.append(try run(operation, position, transaction))
                transaction.releaseShown()
            } catch {
                guard case .refused(let fault as RequestFault) = error else { throw error }
                throw .refused(
                    fault.placed(inOperation: position, inValue: fault.kind != .preconditionFailed))
            }
        }
        results = try collectResults(keys, transaction, until: deadline)
    }

    /// Collects the objects of its operations as the transaction leaves them.
    private func collectResults(
        _ keys: [UInt64], _ transaction: WriteTransaction, until deadline: UInt64
    ) throws(StoreError) -> [Written] {
        var results: [Written] = []
        results.reserveCapacity(keys.count)
        var copies = try ReplyCopies(transaction, for: caller, form, until: deadline, in: served)
        for (operation, key) in zip(plan.operations, keys) {
            try served.checkWriteTime(deadline)
            let rowClass = operation.rowClass
            var id = Value.int(Int64(clamping: key))
            if case .id(let stated) = operation.target {
                id = stated
            } else if rowClass.primaryKeyIndex != nil {
                id = madeKeys[ObjectIdentity(classIndex: rowClass.index, key: key)] ?? id
            }
            var written = Written(rowClass: rowClass, id: id, key: key)
            // Later operations may have changed it, so it is copied at the end.
            if operation.kind != .delete, let row = try transaction.storedRow(rowClass, key) {
                written.isDeleted = false
                // A hidden object has no version to compare.
                if !rowClass.isAsymmetric { written.version = row.version }
                if let projected = shown(operation) {
                    written.shown = try copies.copy(projected, row, key, transaction)
                } else {
                    written.shown = try copies.copy(rowClass, key, row)
                }
            }
            results.append(written)
        }
        if copies.isExhausted {
            for index in results.indices { results[index].shown = nil }
        }
        return results
    }

    /// Resolves the transaction's named objects. Objects without a key get one.
    private func nameObjects(_ transaction: WriteTransaction) throws(StoreError) {
        transaction.named.removeAll()
        for index in plan.named {
            let operation = plan.operations[index]
            switch operation.target {
            case .id(.int(let key)) where operation.rowClass.primaryKeyIndex == nil:
                transaction.named.append(.objectKey(UInt64(clamping: key)))
            case .id(let value):
                transaction.named.append(.primaryKey(OrderedKey(value)?.bytes ?? []))
            case .named(let number): transaction.named.append(transaction.named[number])
            case .new:
                transaction.named.append(.objectKey(try transaction.reserveKey(operation.rowClass)))
            }
        }
    }

    /// Runs one operation and returns the object's key.
    private mutating func run(
        _ operation: TransactionOperation, _ position: Int, _ transaction: WriteTransaction
    ) throws(StoreError) -> UInt64 {
        if operation.shown != nil { return try project(operation, position, transaction) }
        switch operation.kind {
        case .create, .put, .merge:
            let key = try write(operation, position, transaction)
            try noteMadeKey(operation, key, transaction)
            return key
        case .patch:
            guard let patch = operation.patch else {
                return try write(operation, position, transaction)
            }
            let editor = try ObjectEditor(
                transaction, operation.rowClass, key: require(operation, transaction),
                operation.precondition, source: position)
            return try patch.apply(to: editor, in: served).key
        case .delete:
            let key = try require(operation, transaction)
            try transaction.delete(
                operation.rowClass, key: key, precondition: operation.precondition,
                source: position)
            return key
        }
    }

    /// The form in which an operation's projection shows its object; nil for an operation that names a class.
    private func shown(_ operation: TransactionOperation) -> ProjectedObject? {
        operation.shown.map {
            ProjectedObject(selection: $0, form: form, caller: caller, served: served)
        }
    }

    /// Does an operation that names a projection: changes the object and the objects that paths lead to, makes the
    /// object, or deletes it.
    private mutating func project(
        _ operation: TransactionOperation, _ position: Int, _ transaction: WriteTransaction
    ) throws(StoreError) -> UInt64 {
        let rowClass = operation.rowClass
        var found: UInt64?
        if operation.kind == .patch || operation.kind == .delete {
            found = try require(operation, transaction)
        } else if operation.kind != .create {
            found = try find(operation, transaction)
        }
        let shown = shown(operation)
        if let found, let row = try transaction.row(rowClass, found) {
            try shown?.check(operation.precondition, rowClass, found, row, transaction)
        }
        if operation.kind == .delete, let found {
            try transaction.delete(rowClass, key: found, source: position)
            return found
        }
        guard var patch = operation.projected else { throw .objectNotFound }
        let firstSource = plan.operations.count + projectedSources.count
        defer {
            plan.operations[position].projected = patch
            for part in 0..<patch.sourceCount { projectedSources.append((position, part)) }
        }
        if let key = found {
            try patch.apply(
                to: rowClass, key: key, firstSource: firstSource, transaction, in: served, shown)
            return key
        }
        var reservedKey: UInt64?
        switch operation.target {
        case .new:
            if let number = operation.number, case .objectKey(let key) = transaction.named[number] {
                reservedKey = key
            }
        case .id where rowClass.primaryKeyIndex != nil: break
        case .named, .id: return try require(operation, transaction)
        }
        let mode: WriteMode =
            switch operation.kind {
            case .create: .create
            case .put: .replace
            case .merge, .patch, .delete: .merge
            }
        let key = try patch.make(
            reservedKey: reservedKey, mode, operation.precondition, firstSource: firstSource,
            transaction, in: served, shown
        ).key
        try noteMadeKey(operation, key, transaction)
        return key
    }

    private func write(
        _ operation: TransactionOperation, _ position: Int, _ transaction: WriteTransaction
    ) throws(StoreError) -> UInt64 {
        guard let draft = operation.draft else { throw .objectNotFound }
        let mode: WriteMode =
            switch operation.kind {
            case .create: .create
            case .put: .replace
            case .merge: .merge
            case .patch, .delete: .update
            }
        switch operation.target {
        case .new:
            guard let number = operation.number,
                case .objectKey(let key) = transaction.named[number]
            else { break }
            try transaction.check(operation.precondition, operation.rowClass, key: nil, nil)
            return try transaction.create(draft, reservedKey: key, source: position).key
        case .id where operation.rowClass.primaryKeyIndex != nil: break
        case .named, .id:
            return try transaction.write(
                draft, objectKey: require(operation, transaction), mode: mode,
                precondition: operation.precondition, source: position
            ).key
        }
        return try transaction.write(
            draft, mode: mode, precondition: operation.precondition, source: position
        ).key
    }

    /// Remembers the primary key of an object that the store has made one for, since later operations may delete the object.
    private mutating func noteMadeKey(
        _ operation: TransactionOperation, _ key: UInt64, _ transaction: WriteTransaction
    ) throws(StoreError) {
        let rowClass = operation.rowClass
        guard case .new = operation.target, let member = rowClass.primaryKeyIndex,
            let row = try transaction.storedRow(rowClass, key)
        else { return }
        madeKeys[ObjectIdentity(classIndex: rowClass.index, key: key)] = .int(
            rowClass.field(member, in: row).load(Int64.self))
    }

    /// The object key of an operation's object.
    ///
    /// - Throws: ``StoreError`` `.objectNotFound` when it is not there.
    private func require(_ operation: TransactionOperation, _ transaction: WriteTransaction)
        throws(StoreError) -> UInt64
    {
        if let found = try find(operation, transaction) { return found }
        try transaction.check(operation.precondition, operation.rowClass, key: nil, nil)
        throw .objectNotFound
    }

    /// The object key of an operation's object; nil if the object does not exist.
    private func find(_ operation: TransactionOperation, _ transaction: WriteTransaction)
        throws(StoreError) -> UInt64?
    {
        switch operation.target {
        case .id(let id): return try transaction.find(operation.rowClass, id: id)
        case .new: return nil
        case .named(let number):
            guard case .objectKey(let key) = transaction.named[number] else { return nil }
            return try transaction.row(operation.rowClass, key) == nil ? nil : key
        }
    }

    // MARK: The reply

    package var hasLongReply: Bool { results.count > ReplyWriter.shortObjectCountMax }

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        var reply = WriteReply(writer.version)
        reply.isDocument = true
        reply.isMinimal = writer.form.isMinimal || results.contains { !$0.isShown }
        if !reply.isMinimal {
            reply.hasJSON = try write(writer, withObjects: true)
            reply.isMinimal = !reply.hasJSON
        }
        if !reply.hasJSON { reply.hasJSON = try write(writer, withObjects: false) }
        return reply
    }

    private func write(_ writer: ReplyWriter, withObjects: Bool) throws(RequestFault) -> Bool {
        let objects = results.lazy.compactMap(\.shown?.object)
        let schema = objects.first?.schema ?? served.store.catalog.rows
        let names = writer.scratch.names(of: schema, served)
        // A repeat of a user's may come when less may be read.
        let results = writer.view == nil || writer.caller.visibility == nil ? results : []
        return try writer.document(
            names, followsLinks: withObjects && writer.followLinks(objects, names)
        ) { json in
            json.json.raw("{\"version\":")
            json.json.string(writer.version.description)
            json.json.raw(",\"results\":")
            json.array { json, isFirst in
                for result in results {
                    json.separate(&isFirst)
                    Self.write(result, withObject: withObjects, to: &json)
                }
            }
            json.json.raw("}")
        }
    }

    /// Writes the result of an operation: `{"class","id","etag","object"}`.
    private static func write(_ result: Written, withObject: Bool, to writer: inout ObjectWriter) {
        writer.json.raw("{\"class\":")
        writer.json.string(result.rowClass.definition.name)
        writer.json.raw(",\"id\":")
        switch result.id {
        case .int(let value): writer.write(int: value)
        case .string(let text): writer.json.string(text)
        case .objectID(let value): writer.json.string(value.description)
        case .uuid(let value): writer.json.string(value.description)
        default: writer.json.null()
        }
        if let version = result.version, writer.sees(result.rowClass, key: result.key) {
            writer.json.raw(",\"etag\":")
            writer.writeVersion(version)
        }
        if withObject, let shown = result.shown {
            writer.json.raw(",\"object\":")
            shown.write(to: &writer)
        }
        writer.json.raw("}")
    }

    package mutating func end(_ scratch: RequestScratch) { body = nil }

    /// The caller's fault for a failed transaction: the fault of the operation that failed, with its place.
    package func fault(_ error: StoreError) -> RequestFault {
        let sources = error.sources
        if !sources.isEmpty {
            // Faults that are only found at the transaction's end: each belongs to its own operation.
            var whole = served.fault(error)
            whole.errors = zip(whole.errors, sources).flatMap { fault, source in
                placed(fault, whole.kind, source, inValue: error.pointsIntoObject)
            }
            return whole
        }
        let isOfValue: Bool
        switch error {
        case .missingKey, .numbersExhausted, .unstated: isOfValue = true
        default: isOfValue = false
        }
        return served.fault(error).placed(inOperation: position, inValue: isOfValue)
    }

    /// The fault of a source number of the transaction, with its pointer into the body.
    private func placed(
        _ fault: RequestFault.Entry, _ kind: RequestFault.Kind, _ source: Int, inValue: Bool
    ) -> [RequestFault.Entry] {
        var own = RequestFault(kind, fault.code, fault.detail, errors: [fault])
        var position = source
        if projectedSources.indices.contains(source - plan.operations.count) {
            let projected = projectedSources[source - plan.operations.count]
            position = projected.operation
            if inValue, let patch = plan.operations[position].projected {
                own.errors = own.errors.map { patch.placed($0, part: projected.part) }
            }
        } else if inValue, plan.operations.indices.contains(source),
            let patch = plan.operations[source].patch
        {
            own = own.placed(by: patch)
        }
        return own.placed(inOperation: position, inValue: inValue).errors
    }
}

extension RequestFault {
    /// The fault of an operation, with its place in the body of the transaction.
    fileprivate func placed(inOperation position: Int, inValue: Bool) -> RequestFault {
        placed(
            at: JSONPointer().appending("operations").appending(index: position),
            inner: inValue ? JSONPointer().appending("value") : JSONPointer())
    }

    /// Something was committed since the version that a transaction was made for.
    fileprivate static func storeChanged(_ present: StoreVersion) -> RequestFault {
        let detail =
            "The store is at version \(present), not at that of 'ifVersion'; read the data that the "
            + "transaction depends on again."
        return .single(.preconditionFailed, "store-changed", detail, pointer: "/ifVersion")
    }
}
