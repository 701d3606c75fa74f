import HoldfastQuery
import HoldfastRows
import HoldfastStorage

// The objects and values that an evaluation reaches from others: along links, inverse links and references to chunks.
extension ReadTransaction: ObjectSource {
    package func row(classIndex: Int, key: UInt64) -> RowView? {
        guard budget.spend() else { return nil }
        do {
            guard let recentRows else { return try find(rows.classes[classIndex], key: key) }
            return try recentRows.row(classIndex: classIndex, key: key) { () throws(StoreError) in
                try find(rows.classes[classIndex], key: key)
            }
        } catch {
            if case .storage(let error) = error { fail(error) }
            return nil
        }
    }

    /// The row that steps along to-one links and into single embedded objects lead to; nil where one of them leads nowhere.
    package func row(behind steps: ArraySlice<PathStep>, from row: RowView) -> RowView? {
        var row = row
        for step in steps {
            let rowClass = rows.classes[step.fromClass]
            let next: RowView?
            if step.kind == .embedded {
                next = rowClass.embedded(step.member, in: row)
            } else {
                let field = rowClass.field(step.member, in: row)
                next =
                    field.isNull
                    ? nil : self.row(classIndex: step.toClass, key: field.load(UInt64.self))
            }
            guard let next else { return nil }
            row = next
        }
        return row
    }

    package var makesCopies: Bool { showsPart }

    package func withStep(_ body: () -> Void) {
        guard let restricted else { return body() }
        restricted.withStep(body)
    }

    package func forEachOrigin(
        ofClass classIndex: Int, key: UInt64, originClass: Int, member: Int,
        _ body: (_ originClass: Int, _ originKey: UInt64) -> Bool
    ) {
        let property = rows.classes[originClass].members[member].number
        scanOrigins(classIndex, key, property: property) { origin, _, count in
            // Each of the links takes time, however few objects hold them.
            for _ in 0..<count {
                guard budget.spend(), body(origin.classIndex, origin.key) else { return false }
            }
            return true
        }
    }

    /// Hands over the objects that link to an object, by the property that holds the link and in the order of their object keys,
    /// each with the number of that property, which may be one of an embedded object, and the number of its links, until `body`
    /// returns false. Asymmetric objects are left out.
    ///
    /// - `property`: The number of the only property that counts; nil for all.
    /// - `from`: Starts at this origin, of links through one property.
    package func scanOrigins(
        _ classIndex: Int, _ key: UInt64, property: UInt32? = nil,
        from first: ObjectIdentity? = nil,
        _ body: (_ origin: ObjectIdentity, _ property: UInt32, _ count: Int) -> Bool
    ) {
        let prefix = Array(
            keyBuffer.making {
                StoreKey.appendInversePrefix(rows.classes[classIndex].number, key, to: $0)
                if let property { $0.append(big: property) }
            })
        var range = KeyRange(prefix: prefix)
        if let first {
            keyBuffer.append(big: rows.classes[first.classIndex].number)
            keyBuffer.append(big: first.key)
            range.lower = keyBuffer.array
        }
        do {
            try snapshot.scan(range, reversed: false, expecting: 64) { entry, value in
                guard budget.spend() else { return false }
                guard let origin = InverseLink.origin(entry, rows),
                    !rows.classes[origin.classIndex].isAsymmetric
                else { return true }
                let property = InverseLink.propertyNumber(entry)
                var count = InverseLink.count(value)
                if let restricted {
                    let target = ObjectIdentity(classIndex: classIndex, key: key)
                    count = restricted.linkCount(from: origin, property, count, to: target)
                    if count == 0 { return true }
                }
                return body(origin, property, count)
            }
        } catch { fail(error) }
    }

    /// Whether more than `most` links lead to an object through one property. Cost: `most` entries at most.
    package func hasOrigins(
        _ classIndex: Int, _ key: UInt64, property: UInt32, linkCountAbove most: Int
    ) -> Bool {
        var count = 0
        scanOrigins(classIndex, key, property: property) { _, _, linkCount in
            count += linkCount
            return count <= most
        }
        return count > most
    }

    package func incomingLinkCount(classIndex: Int, key: UInt64) -> Int {
        var count = 0
        scanOrigins(classIndex, key) { _, property, linkCount in
            // A schema change leaves links behind for a while, and enters others beforehand.
            if rows.memberByNumber[property] != nil { count += linkCount }
            return true
        }
        return count
    }

    package func overflowChunk(_ key: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
        do throws(StorageError) {
            if let chunk = try snapshot.value(forKey: key) { return chunk }
            throw StorageError(.corrupted, operation: "read chunk")
        } catch {
            fail(error)
            return nil
        }
    }

    package func objectKey(classIndex: Int, primaryKey: OrderedKey) -> UInt64? {
        primaryKey.bytes.withUnsafeBytes { bytes in
            do throws(StoreError) {
                return try find(rows.classes[classIndex], primaryKey: bytes)?.key
            } catch {
                if case .storage(let error) = error { fail(error) }
                return nil
            }
        }
    }
}

extension ReadTransaction {
    /// Returns the visible part of a copy that was made for the same reader before; nil if the view hides the object, or does not
    /// have it.
    package func shown(copy row: RowView, _ rowClass: RowClass, _ key: UInt64) -> RowView? {
        guard let restricted else { return row }
        return restricted.show(copy: row, rowClass, key)
    }

    /// Copies the visible part of an object; nil if it is hidden.
    ///
    /// - Throws: ``StoreError`` if storage or the budget has failed.
    package func copy(
        _ rowClass: RowClass, _ key: UInt64, _ row: RowView
    ) throws(StoreError) -> StoredObject? {
        let mark = shownMark
        defer { releaseShown(to: mark) }
        let row = try checked { () throws(StoreError) in shown(rowClass, key, row) }
        return row.map { StoredObject(schema: rows, classIndex: rowClass.index, key: key, row: $0) }
    }
}
