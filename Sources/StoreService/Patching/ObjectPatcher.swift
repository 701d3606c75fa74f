import Bytes
import JSON
import ObjectJSON
import ObjectStore
import Rows

/// Applies JSON patches to objects inside a transaction. Writer's thread.
struct ObjectPatcher {
    private let served: ServedStore
    private let transaction: WriteTransaction
    private let references: [String: NamedReference]?
    private let scratch = RequestScratch.current
    private let names: SchemaNames

    /// Makes a patcher.
    ///
    /// - `references`: What links in patches may name by `{"$ref": …}`.
    init(
        _ transaction: WriteTransaction, references: [String: NamedReference]? = nil,
        in served: ServedStore
    ) {
        self.served = served
        self.transaction = transaction
        self.references = references
        names = scratch.names(of: transaction.catalog.rows, served)
    }

    /// Applies a patch: shows the object as JSON, changes that and replaces the object by it.
    ///
    /// Cost: linear in the object, without out-of-line collections of which the patch changes single
    /// elements, or nothing.
    func apply(
        _ patch: JSONPatch, to rowClass: RowClass, key: UInt64, row: RowView,
        precondition: Precondition
    ) throws(WriteFailure) -> WriteResult {
        try WriteFailure.storing { () throws(StoreError) in
            try transaction.check(precondition, rowClass, key: key, row)
            try transaction.countReading(row.byteCount)
        }
        let view = transaction.view()
        let buffer = ByteBuffer(capacity: row.byteCount * 2 + 256)
        var writer = ObjectWriter(buffer, names: names, read: view, epoch: transaction.epoch)
        let elements = ElementSteps(patch, rowClass, row)
        if let elements, elements.isWhole,
            let result = try apply(elements, of: patch, to: rowClass, key: key)
        {
            return result
        }
        if let elements { try requireShowable(elements.shown, of: rowClass, row) }
        // What a path into an embedded object, or to the whole object, would show, is left out and kept.
        writer.collectionElementCountMax = patchedElementCountMax
        writer.collectionByteCountMax = patchedByteCountMax
        let everything = names.classes[rowClass.index].everything
        writer.write(row, key: key, elements.map { everything.without($0.leftOut) } ?? everything)
        try WriteFailure.storing { () throws(StoreError) in try view.checkFailure() }
        let root = JSONNode(try parse(buffer))
        if let elements { root.addPlaceholders(elements.replaced) }
        try WriteFailure.reading { () throws(RequestFault) in
            try patch.apply(
                to: root, rowClass, names.schema, depthMax: depthMax,
                skipping: Set(elements?.steps.map(\.index) ?? []))
        }
        if let elements { root.addOmitted(elements.names) }
        buffer.removeAll()
        root.write(to: JSONWriter(buffer))
        let json = try parse(buffer)
        let reader = scratch.reader
        reader.reset()
        reader.references = references
        defer { reader.reset() }
        guard let reading = reader.read(json, as: rowClass, names: names, isMerge: false) else {
            throw .request(reader.problem().placed(by: patch))
        }
        try requireSameKey(reading, rowClass, key, row, patch)
        var result = try WriteFailure.storing { () throws(StoreError) in
            try transaction.write(
                reading.draft, objectKey: rowClass.primaryKeyIndex == nil ? key : nil,
                mode: .replaceExisting)
        }
        if let elements, let edited = try apply(elements, of: patch, to: rowClass, key: key) {
            result.row = edited.row
            result.isChanged = result.isChanged || edited.isChanged
        }
        return result
    }

    /// Changes single elements of out-of-line collections.
    ///
    /// Cost: logarithmic in the number of elements for each step.
    ///
    /// - Returns: Nil when there is no step.
    private func apply(
        _ elements: ElementSteps, of patch: JSONPatch, to rowClass: RowClass, key: UInt64
    ) throws(WriteFailure) -> WriteResult? {
        scratch.reader.reset()
        scratch.reader.references = references
        defer { scratch.reader.reset() }
        let patchers = ElementPatchers(
            transaction, rowClass, key, names, scratch, depthMax: depthMax)
        for step in elements.steps { try patchers.apply(patch.operations[step.index], step) }
        try patchers.finish()
        return patchers.result
    }

    /// How deep JSON may nest: a patch may nest a value as deep as its body, below the deepest place of the object.
    private var depthMax: Int { served.limits.jsonDepthMax * 2 }

    /// Of how many elements a collection may be that is shown as JSON to be patched: each becomes a value of
    /// its own, of some hundred bytes.
    private var patchedElementCountMax: Int {
        min(served.limits.collectionElementCountMax, .max / 100) * 100
    }

    /// Of how many bytes it may be.
    private var patchedByteCountMax: Int {
        min(served.limits.collectionByteCountMax, .max / 64) * 64
    }

    /// Refuses a patch that needs a collection as a whole which is too large for that.
    private func requireShowable(_ members: [Int], of rowClass: RowClass, _ row: RowView)
        throws(WriteFailure)
    {
        for member in members {
            guard let reference = rowClass.field(member, in: row).overflow,
                reference.count > patchedElementCountMax
                    || reference.byteCount > patchedByteCountMax
            else { continue }
            let name = rowClass.definition.properties[member].name
            let detail =
                "The patch needs all \(reference.count) elements of '\(name)' at once, which are too many; "
                + "change single ones (\"/\(name)/0\", \"/\(name)/-\") or replace the whole collection."
            throw .request(
                RequestFault(
                    .invalid, "too-large", detail,
                    errors: [RequestFault.Entry(code: "too-large", detail: detail)]))
        }
    }

    /// Refuses a patch that has changed what names the object.
    private func requireSameKey(
        _ reading: ObjectReading, _ rowClass: RowClass, _ key: UInt64, _ row: RowView,
        _ patch: JSONPatch
    ) throws(WriteFailure) {
        let name: String
        if let member = rowClass.primaryKeyIndex {
            let stored = ByteBuffer(capacity: 64)
            OrderedKey.append(
                rowClass.field(member, in: row), rowClass.members[member].storage.element,
                to: stored)
            let stated = ByteBuffer(capacity: 64)
            if reading.draft.appendPrimaryKey(to: stated),
                stored.bytes.elementsEqual(stated.bytes)
            {
                return
            }
            name = rowClass.definition.properties[member].name
        } else {
            if reading.objectKey ?? key == key { return }
            name = "$id"
        }
        let detail = "'\(name)' names the object and never changes; leave it out of the patch."
        throw .request(
            RequestFault(
                .invalid, "key-mismatch", detail,
                errors: [
                    RequestFault.Entry(
                        code: "key-mismatch", detail: detail,
                        pointer: JSONPointer().appending(name).description)
                ]
            ).placed(by: patch))
    }

    private func parse(_ buffer: ByteBuffer) throws(WriteFailure) -> JSONValue {
        do throws(JSONError) {
            return try scratch.parser.parse(buffer.bytes, depthMax: depthMax)
        } catch {
            throw .request(RequestFault(error, in: buffer.bytes))
        }
    }
}

extension RequestFault {
    /// The same problem with the places of the patched object turned into those of the patch.
    func placed(by patch: JSONPatch) -> RequestFault {
        var problem = self
        for index in problem.errors.indices {
            guard let pointer = problem.errors[index].pointer else { continue }
            problem.errors[index].pointer = patch.place(of: pointer)?.description
        }
        return problem
    }
}

extension JSONNode {
    /// Gives members that are replaced something to be replaced.
    fileprivate func addPlaceholders(_ names: [String]) {
        guard case .object(let members) = content else { return }
        for name in names { members.set(Array(name.utf8), JSONNode(.plain(Array("null".utf8)))) }
    }

    /// Says which properties of an object keep what is stored.
    fileprivate func addOmitted(_ names: [String]) {
        guard case .object(let members) = content, !names.isEmpty else { return }
        let texts = names.map { JSONNode(.string(Array($0.utf8))) }
        let omitted = Array("$omitted".utf8)
        // What a step of the patch put there is judged like that of any body.
        guard let stated = members[omitted] else {
            return members.set(omitted, JSONNode(.array(texts)))
        }
        if case .array(let others) = stated.content { stated.content = .array(others + texts) }
    }
}
