import HoldfastBytes
import HoldfastObjectModel
import HoldfastRows

extension Store {
    /// Reports the effects of a change of the schema, and changes nothing.
    ///
    /// Cost: that of reading the objects of which something could be lost.
    ///
    /// - Returns: The steps, with the objects that they concern.
    /// - Throws: ``StoreError`` `.invalidSchema` and others as the change would; a loss of data is no
    ///   error but told with the steps.
    package func previewSchema(_ proposal: SchemaProposal) throws(StoreError) -> [SchemaStep] {
        let transaction = try read()
        defer { transaction.close() }
        let change = try SchemaChange(from: transaction.catalog, to: proposal)
        if let make = proposal.document, let stored = try accessDocument() {
            _ = try make(stored, transaction.catalog, change.catalog)
        }
        var refusals: [SchemaFault] = []
        for (index, fault) in change.emptinessTests.sorted(by: { $0.key < $1.key })
        where try transaction.count(transaction.rows.classes[index]) > 0 {
            refusals.append(fault)
        }
        if !refusals.isEmpty { throw .unsupportedMigration(refusals) }
        let converter = RowConverter(change.conversions, now: Timestamp.now())
        var counts = Array(repeating: 0, count: change.steps.count)
        var duplicates = DuplicateKeys()
        for rowClass in transaction.rows.classes where rowClass.definition.kind.standsAlone {
            let work = change.works[rowClass.index].flatMap { $0.entersKeys ? $0 : nil }
            guard work != nil || converter.mayLose(rowClass.index) else { continue }
            var keys: Set<UUID128> = []
            let buffer = ByteBuffer(capacity: 4096)
            try transaction.checked { () throws(StoreError) in
                try transaction.scan(rowClass) { objectKey, row in
                    var steps: Set<Int> = []
                    converter.forEachLoss(rowClass.index, row, transaction) { steps.insert($0) }
                    for step in steps { counts[step] += 1 }
                    guard let work, let member = work.target.primaryKeyIndex,
                        let new = work.newRow(objectKey, row, converter, transaction, in: buffer)
                    else { return true }
                    let storage = work.target.members[member].storage
                    let value = Value(work.target.field(member, in: new), storage, transaction)
                    if let key = OrderedKey(value), !keys.insert(key.hashed).inserted {
                        duplicates.add(classIndex: rowClass.index, value)
                    }
                    return true
                }
            }
        }
        try change.testUniqueness(in: transaction.snapshot, transaction, converter)
        let faults = duplicates.faults(transaction.rows, change)
        if !faults.isEmpty { throw .duplicateKeys(faults) }
        var steps = change.steps
        for index in steps.indices {
            guard let source = steps[index].source else { continue }
            let rowClass = transaction.rows.classes[source]
            let all = rowClass.definition.kind.standsAlone ? try transaction.count(rowClass) : 0
            let lost = steps[index].operation == .dropClass ? all : counts[index]
            steps[index].isLossy = lost > 0
            steps[index].objectCount = lost > 0 ? lost : all
        }
        // Whether links go with a class is only known now.
        steps.removeAll { $0.operation == .dropLinks && !$0.isLossy }
        return steps
    }
}

extension OrderedKey {
    /// A hash that no two keys share, for sets of many.
    fileprivate var hashed: UUID128 {
        let hash = bytes.withUnsafeBytes { SipHash128.hash($0) }
        return UUID128(high: hash.high, low: hash.low)
    }
}
