import Bytes
import HTTPServer
import ObjectJSON
import ObjectModel
import ObjectStore
import Rows
import StoreService

extension RESTService {
    /// Takes in a JSON patch of one object.
    func patchByOperations(
        _ request: Request, _ source: KeySource, _ precondition: Precondition,
        _ preferences: Preferences
    ) -> Outcome {
        reading(request) { () throws(RequestFault) in
            try self.once(request) { claim throws(RequestFault) in
                let prepared = try PreparedRequest<(target: ObjectTarget, patch: JSONPatch)>(
                    self.served
                ) {
                    names, scratch throws(RequestFault) in
                    let target = try self.target(request, source, names, scratch)
                    let patch = try JSONPatch(
                        try self.served.json(request.body, scratch.parser),
                        operationCountMax: self.store.options.operationCountMax)
                    return (target, patch)
                }
                let write = RequestedWrite<StoredObject>(
                    run: { transaction throws(StoreError) in
                        try self.patch(prepared, precondition, transaction)
                    },
                    reply: { written, version, view throws(RequestFault) in
                        try self.reply(toPatch: written, version, preferences, in: view)
                    },
                    problem: { error in
                        guard error.pointsIntoObject else { return self.served.fault(error) }
                        return self.served.fault(error).placed(by: prepared.last.patch)
                    },
                    isLong: { _ in false })
                return .later { self.handIn(write, $0, claim) }
            }
        }
    }

    private func reply(
        toPatch object: StoredObject, _ version: StoreVersion, _ preferences: Preferences,
        in view: ReadTransaction?
    ) throws(RequestFault) -> Response {
        let row = ByteBuffer(capacity: object.bytes.count)
        row.append(object.bytes)
        let written = ObjectWrite.OneWritten(
            schema: object.schema, classIndex: object.classIndex, key: object.key,
            isCreated: false)
        return try reply(to: written, row, version, preferences, in: view)
    }

    private func patch(
        _ prepared: PreparedRequest<(target: ObjectTarget, patch: JSONPatch)>,
        _ precondition: Precondition, _ transaction: WriteTransaction
    ) throws(StoreError) -> Attempted<StoredObject> {
        let target: ObjectTarget
        let patch: JSONPatch
        do throws(RequestFault) {
            (target, patch) = try prepared.plan(for: transaction)
        } catch {
            return .refused(error)
        }
        let rowClass = target.rowClass
        guard let key = try transaction.find(target),
            let row = try transaction.row(rowClass, key)
        else {
            try transaction.check(precondition, rowClass, key: nil, nil)
            throw .objectNotFound
        }
        do throws(WriteFailure) {
            let result = try apply(
                patch, to: rowClass, key: key, row: row, precondition: precondition, transaction)
            return .made(
                StoredObject(
                    schema: transaction.catalog.rows, classIndex: rowClass.index, key: key,
                    row: result.row))
        } catch {
            switch error {
            case .store(let error): throw error
            case .problem(let problem): return .refused(problem)
            }
        }
    }
}

extension WriteTransaction {
    /// The object key of a target; nil when the object is not there.
    func find(_ target: ObjectTarget) throws(StoreError) -> UInt64? {
        try find(target.rowClass, id: target.key)
    }

    /// The object key of an object that is named by its primary key, or by its object key as an int where
    /// the class has none; nil when it is not there.
    func find(_ rowClass: RowClass, id: Value) throws(StoreError) -> UInt64? {
        if rowClass.primaryKeyIndex == nil {
            guard case .int(let number) = id else { return nil }
            let key = UInt64(clamping: number)
            return try row(rowClass, key) == nil ? nil : key
        }
        guard let primaryKey = OrderedKey(id) else { return nil }
        return try find(rowClass, primaryKey: primaryKey)?.key
    }
}
