import Bytes
import ObjectJSON
import ObjectStore
import Rows

/// The change of one object by a JSON patch.
package struct ObjectPatch: WriteBody, @unchecked Sendable {
    // Unchecked: one thread at a time has it, see ``ServedWrite``.

    /// What the caller wants of the reply.
    package var form = ReplyForm()
    private let address: ObjectAddress
    private let precondition: Precondition
    private let served: ServedStore
    private var body: RequestBytes?
    private var plan: (target: ObjectTarget, patch: JSONPatch)?
    private var made: (schema: RowSchema, object: ObjectIdentity)?
    private let row = ByteBuffer(capacity: 512)

    /// Makes a change by the patch in `body`.
    package init(
        _ address: ObjectAddress, _ body: RequestBytes, _ precondition: Precondition,
        in served: ServedStore
    ) {
        self.address = address
        self.precondition = precondition
        self.served = served
        self.body = body
    }

    package mutating func prepare(
        _ names: SchemaNames, _ scratch: RequestScratch
    ) throws(RequestFault) {
        guard let body else { return }
        let target = try address.target(names, scratch)
        scratch.reader.reset()
        plan = (
            target,
            try JSONPatch(
                try served.json(body.bytes, scratch.parser), of: target.rowClass, names,
                scratch.reader, operationCountMax: served.store.options.operationCountMax)
        )
    }

    package mutating func run(_ transaction: WriteTransaction) throws(WriteFailure) {
        guard let (target, patch) = plan else { return }
        let found = try WriteFailure.storing { () throws(StoreError) in
            try transaction.require(target, precondition)
        }
        let result = try patch.apply(
            to: target.rowClass, key: found.key, precondition: precondition, transaction, in: served
        )
        row.removeAll()
        row.append(result.row.bytes)
        made = (
            transaction.catalog.rows,
            ObjectIdentity(classIndex: target.rowClass.index, key: found.key)
        )
    }

    package func reply(_ writer: ReplyWriter) throws(RequestFault) -> WriteReply {
        guard let (schema, object) = made else { throw served.fault(.closing) }
        return try writer.reply(to: object, of: schema, row, isCreated: false)
    }

    package func fault(_ error: StoreError) -> RequestFault {
        let fault = served.fault(error)
        guard error.pointsIntoObject, let plan else { return fault }
        return fault.placed(by: plan.patch)
    }

    package mutating func end(_ scratch: RequestScratch) {
        body = nil
        plan = nil
    }
}
