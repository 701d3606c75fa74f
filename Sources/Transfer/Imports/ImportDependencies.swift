import HoldfastObjectJSON
import HoldfastObjectStore
import HoldfastRows

/// Which lines of a chunk depend on which: made when a link of one of them leads nowhere.
struct ImportDependencies {
    private let keys: [DraftKeys?]
    /// The lines that write an object, in order.
    private var providers: [DraftKeys.Key: [Int]] = [:]
    /// The lines that link to it.
    private var referrers: [DraftKeys.Key: [Int]] = [:]

    /// Looks at the drafts of a chunk, nil for a faulty line.
    init(_ drafts: [ObjectDraft?]) {
        keys = drafts.map { $0.map { DraftKeys($0) } }
        for (position, keys) in keys.enumerated() {
            guard let keys else { continue }
            for key in Set(keys.provided) { providers[key, default: []].append(position) }
            for key in Set(keys.links.map(\.target)) {
                referrers[key, default: []].append(position)
            }
        }
    }

    /// Adds the lines to be left out, and the lines that can't be written without them: because they link to an object that then
    /// is written by no line and is not stored, or because they write an object that an earlier line left out writes too.
    ///
    /// - `keepsOrder`: Whether later lines of the same object are left out with an earlier one.
    /// - `writesOnce`: Whether a line of an existing object is not written, so that its links do not matter.
    /// - `transaction`: Has changed nothing yet.
    /// - `found`: Called with each line that is left out for want of an object, and its key.
    func close(
        _ seeds: Set<Int>, keepsOrder: Bool, writesOnce: Bool = false,
        _ transaction: WriteTransaction, into leftOut: inout Set<Int>,
        found: (Int, DraftKeys.Key) -> Void = { _, _ in }
    ) throws(StoreError) {
        var work = Array(seeds)
        leftOut.formUnion(seeds)
        // Many lines may write one object. So that all of them together cost no more than their number,
        // each object remembers from which of its lines on they are left out, and how many of the first.
        var leftOutFrom: [DraftKeys.Key: Int] = [:]
        var leftOutCounts: [DraftKeys.Key: Int] = [:]
        // The first line that writes an object and is not left out.
        func firstLine(of key: DraftKeys.Key) -> Int? {
            let all = providers[key] ?? []
            var count = leftOutCounts[key, default: 0]
            while count < all.count, leftOut.contains(all[count]) { count += 1 }
            leftOutCounts[key] = count
            return count < all.count ? all[count] : nil
        }
        func isMissing(_ key: DraftKeys.Key) throws(StoreError) -> Bool {
            if firstLine(of: key) != nil { return false }
            return try !isStored(key, transaction)
        }
        var doneKeys: Set<DraftKeys.Key> = []
        while let position = work.popLast() {
            guard let keys = keys[position] else { continue }
            for key in keys.provided {
                let all = providers[key] ?? []
                if keepsOrder {
                    let index = all.firstPosition { $0 >= position }
                    let end = leftOutFrom[key] ?? all.count
                    if index < end {
                        leftOutFrom[key] = index
                        for later in all[index..<end] where leftOut.insert(later).inserted {
                            work.append(later)
                        }
                    }
                }
                guard let waiting = referrers[key], !doneKeys.contains(key), try isMissing(key)
                else { continue }
                doneKeys.insert(key)
                for referrer in waiting where !leftOut.contains(referrer) {
                    if writesOnce, try !isWritten(referrer, leftOut, transaction) { continue }
                    leftOut.insert(referrer)
                    found(referrer, key)
                    work.append(referrer)
                }
            }
            // The next line of the object is now the one that counts. If it can't be written either, it
            // need not be tried, else many lines of one object would take as many attempts to write all.
            guard writesOnce, let own = keys.own, let next = firstLine(of: own),
                let nextKeys = self.keys[next], nextKeys.own == own, try !isStored(own, transaction)
            else { continue }
            for link in nextKeys.links where try isMissing(link.target) {
                leftOut.insert(next)
                found(next, link.target)
                work.append(next)
                break
            }
        }
    }

    /// Whether a line is the first of its object, which is not stored.
    private func isWritten(
        _ position: Int, _ leftOut: Set<Int>, _ transaction: WriteTransaction
    ) throws(StoreError) -> Bool {
        guard let own = keys[position]?.own else { return true }
        let first = providers[own]?.first { !leftOut.contains($0) }
        guard first == position else { return false }
        return try !isStored(own, transaction)
    }

    /// The faults of a line with links to a missing `target`.
    func faults(of position: Int, missing target: DraftKeys.Key, _ schema: RowSchema)
        -> [RequestFault
        .Entry]
    {
        let name = schema.classes[target.classIndex].definition.name
        return (keys[position]?.links ?? []).filter { $0.target == target }.map { link in
            RequestFault.Entry(
                code: "dangling-link",
                detail: providers[target] == nil
                    ? "There is no object of class '\(name)' with this key; create it in the same request or before."
                    : DraftKeys.detail(ofLinkToUntaken: name), pointer: link.pointer.description)
        }
    }

    private func isStored(
        _ key: DraftKeys.Key, _ transaction: WriteTransaction
    ) throws(StoreError) -> Bool {
        let rowClass = transaction.catalog.rows.classes[key.classIndex]
        return try transaction.find(rowClass, primaryKey: OrderedKey(bytes: key.bytes)) != nil
    }
}
