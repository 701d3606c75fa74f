import HoldfastObjectJSON
import HoldfastObjectStore

// The lines of one class, restricted to the writer's rights.
//
// Each line is checked by itself when it is written: its links have targets, and its changes are allowed. A refused line
// only takes along the lines that link to its objects, and no line is written more than three times. A line that
// links to a later one waits for it.
extension ImportWriter {
    /// Writes the lines of a chunk. Waiting lines are in ``ImportChunk/deferred``, with the object keys in
    /// ``ImportChunk/reservedKeys``.
    func writeKept(_ transaction: WriteTransaction, _ chunk: ImportChunk) throws(StoreError) {
        for (position, line) in chunk.lines.enumerated() {
            guard let reading = line.reading else { continue }
            if !waitingKeys.isEmpty, waits(reading.draft) {
                try wait(transaction, chunk, position, reading)
                continue
            }
            do throws(StoreError) {
                try writeByItself(transaction, chunk, [position])
            } catch {
                if case .danglingLinks = error {
                    try wait(transaction, chunk, position, reading)
                } else {
                    try noteUntaken(error, transaction, chunk, position)
                }
            }
        }
    }

    /// Writes waiting lines after the lines that they link to, and the lines of a circle together. A line with a missing target
    /// is faulty.
    func completeKept(_ transaction: WriteTransaction, _ chunk: ImportChunk) throws(StoreError) {
        useEarlierKeys(transaction, chunk, without: [])
        var start = 0
        for lineCount in chunk.groupCounts {
            var left = (start..<(start + lineCount)).filter { chunk.lines[$0].reading != nil }
            start += lineCount
            if left.count > 1 {
                do throws(StoreError) {
                    try writeByItself(transaction, chunk, left)
                    continue
                } catch {
                    // Each line reports its own missing targets. A line with another fault is not tried again.
                    switch error {
                    case .danglingLinks, .notUnique: break
                    case .notAllowed(let act):
                        try noteUntaken(error, transaction, chunk, take(act.source, from: &left))
                    default:
                        try noteUntaken(error, transaction, chunk, take(self.position, from: &left))
                    }
                }
            }
            for position in left {
                do throws(StoreError) {
                    try writeByItself(transaction, chunk, [position])
                } catch {
                    try noteUntaken(error, transaction, chunk, position)
                }
            }
        }
    }

    /// Keeps the fault of a line, and the objects that it would have written: links to these objects report it.
    private func noteUntaken(
        _ error: StoreError, _ transaction: WriteTransaction, _ chunk: ImportChunk, _ position: Int
    ) throws(StoreError) {
        try note(error, chunk, position)
        guard let draft = chunk.lines[position].reading?.draft else { return }
        let keys = DraftKeys(draft)
        if case .danglingLinks = error, let last = chunk.writeFaults.indices.last {
            let targets = Dictionary(
                keys.links.map { ($0.pointer.description, $0.target) },
                uniquingKeysWith: { first, _ in first })
            for index in chunk.writeFaults[last].faults.indices {
                let pointer = chunk.writeFaults[last].faults[index].pointer ?? ""
                guard let target = targets[pointer], untakenKeys.contains(target.fingerprint)
                else { continue }
                chunk.writeFaults[last].faults[index].detail = DraftKeys.detail(
                    ofLinkToUntaken: transaction.catalog.rows.classes[target.classIndex].definition
                        .name)
            }
        }
        untakenKeys.formUnion(keys.provided.map(\.fingerprint))
    }

    /// Writes all of some lines, if they are valid together; otherwise no line.
    private func writeByItself(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, _ positions: [Int]
    ) throws(StoreError) {
        let written = try attempt(transaction) { () throws(StoreError) in
            var written: [WriteResult] = []
            for position in positions {
                self.position = position
                guard let reading = chunk.lines[position].reading else { continue }
                written.append(
                    try write(transaction, reading, chunk.earlierKey(position), source: position))
            }
            return written
        }
        for written in written { count(written, chunk) }
    }

    private func take(_ position: Int, from positions: inout [Int]) -> Int {
        positions.removeAll { $0 == position }
        return position
    }

    private func wait(
        _ transaction: WriteTransaction, _ chunk: ImportChunk, _ position: Int,
        _ reading: ObjectReading
    ) throws(StoreError) {
        chunk.deferred.append(position)
        chunk.reservedKeys.append(try reserveKeys(transaction, reading))
        for key in DraftKeys(reading.draft).provided { addWaiting(key, of: chunk) }
    }
}
