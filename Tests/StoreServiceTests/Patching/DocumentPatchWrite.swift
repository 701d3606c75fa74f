import HoldfastBytes
import HoldfastJSON
import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows
import HoldfastStoreService

/// The change of one object by a JSON patch, made on its JSON: the object is shown, the document changed, and
/// the object replaced by that.
struct DocumentPatchWrite: WriteCase, @unchecked Sendable {
    // Unchecked: one thread at a time has it.
    let caller = Caller.program
    let address: ObjectAddress
    let body: RequestBytes
    let served: ServedStore
    private var target: ObjectTarget?
    private var made: (schema: RowSchema, object: ObjectIdentity)?
    private let row = ByteBuffer(capacity: 512)

    init(_ address: ObjectAddress, _ body: RequestBytes, in served: ServedStore) {
        self.address = address
        self.body = body
        self.served = served
    }

    mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        target = try address.target(names, scratch)
    }

    mutating func run(_ transaction: WriteTransaction) throws(StoreError) {
        guard let target else { return }
        let (rowClass, scratch) = (target.rowClass, RequestScratch.current)
        let found = try transaction.require(target, .none)
        let names = scratch.names(of: transaction.catalog.rows, served)
        let patch = DocumentPatch(try parse(body.bytes, scratch))
        let buffer = ByteBuffer(capacity: 1024)
        try transaction.withView { view in
            var writer = ObjectWriter(
                buffer, names: names, read: view, epoch: transaction.epoch)
            writer.write(found.row, key: found.key, names.everything[rowClass.index])
        }
        let root = DocumentNode(try parse(buffer.bytes, scratch))
        do throws(RequestFault) {
            try patch.apply(to: root, rowClass, names.schema)
        } catch {
            throw .refused(error)
        }
        buffer.removeAll()
        root.write(to: JSONWriter(buffer))
        let json = try parse(buffer.bytes, scratch)
        scratch.reader.reset(operationCountMax: .max)
        guard
            let reading = scratch.reader.read(json, as: rowClass, names: names, isMerge: false)
        else { throw .refused(placed(scratch.reader.fault(), patch)) }
        try requireSameKey(reading, rowClass, found, patch)
        let result: WriteResult
        do throws(StoreError) {
            result = try transaction.write(
                reading.draft, objectKey: rowClass.primaryKeyIndex == nil ? found.key : nil,
                mode: .replaceExisting)
        } catch {
            throw error.pointsIntoObject
                ? .refused(placed(served.fault(error), patch)) : error
        }
        row.removeAll()
        row.append(result.row.bytes)
        made = (
            transaction.catalog.rows,
            ObjectIdentity(classIndex: rowClass.index, key: found.key)
        )
    }

    private func parse(
        _ bytes: UnsafeRawBufferPointer, _ scratch: RequestScratch
    ) throws(StoreError) -> JSONValue {
        do throws(JSONError) {
            return try scratch.parser.parse(bytes, depthMax: 300)
        } catch {
            throw .refused(RequestFault(error, in: bytes))
        }
    }

    private func placed(_ fault: RequestFault, _ patch: DocumentPatch) -> RequestFault {
        var fault = fault
        for index in fault.errors.indices {
            fault.errors[index].pointer =
                fault.errors[index].pointer.flatMap { patch.position(of: $0) }?.description
        }
        return fault
    }

    private func requireSameKey(
        _ reading: ObjectReading, _ rowClass: RowClass, _ found: (key: UInt64, row: RowView),
        _ patch: DocumentPatch
    ) throws(StoreError) {
        let name: String
        if let member = rowClass.primaryKeyIndex {
            let keys = (ByteBuffer(capacity: 64), ByteBuffer(capacity: 64))
            OrderedKey.append(
                rowClass.field(member, in: found.row), rowClass.members[member].storage.element,
                to: keys.0)
            if reading.draft.appendPrimaryKey(to: keys.1),
                keys.0.bytes.elementsEqual(keys.1.bytes)
            {
                return
            }
            name = rowClass.definition.properties[member].name
        } else {
            if reading.objectKey ?? found.key == found.key { return }
            name = "$id"
        }
        let pointer = JSONPointer().appending(name).description
        throw .refused(
            placed(
                RequestFault(
                    .invalid, "key-mismatch", "The key changes.",
                    errors: [
                        RequestFault.Entry(
                            code: "key-mismatch", detail: "The key changes.", pointer: pointer)
                    ]), patch))
    }

    func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        guard let (schema, object) = made else { throw served.fault(.closing) }
        return try writer.reply(to: object, of: schema, row, isCreated: false)
    }

    func fault(_ error: StoreError) -> RequestFault {
        guard error.pointsIntoObject,
            let json = try? parse(body.bytes, RequestScratch.current)
        else { return served.fault(error) }
        return placed(served.fault(error), DocumentPatch(json))
    }
}
