import HoldfastObjectModel

extension RowSchema {
    /// Hands every link of a row to `body`, those of embedded objects too, a target as often as it stands
    /// there.
    ///
    /// - `only`: Looks only at these top-level properties; nil for all.
    /// - `source`: Reads out-of-line collections.
    /// - `body`: Gets the property that holds the link and the target's class, as positions, and the
    ///   target's key.
    package func forEachLink(
        of rowClass: RowClass, in row: RowView, only: MemberSet? = nil,
        _ source: any OverflowSource,
        _ body: (_ propertyNumber: UInt32, _ targetClass: Int, _ targetKey: UInt64) -> Void
    ) {
        for member in rowClass.linkingMembers {
            if let only, !only.contains(member) { continue }
            let compiled = rowClass.members[member]
            if compiled.storage.shape == .single {
                let field = rowClass.field(member, in: row)
                if field.isNull { continue }
                forEachLink(of: compiled, in: field.bytes(compiled.storage, source), source, body)
            } else {
                rowClass.collection(member, in: row, source).forEach(within: nil) {
                    values, offset, _ in
                    if !values.isNull(offset) {
                        forEachLink(of: compiled, in: values.bytes(offset), source, body)
                    }
                    return true
                }
            }
        }
    }

    /// Hands over the links of a value of a property, or of one of its elements.
    ///
    /// - `bytes`: As they are stored; not null.
    package func forEachLink(
        of member: RowClass.Member, in bytes: UnsafeRawBufferPointer, _ source: any OverflowSource,
        _ body: (_ propertyNumber: UInt32, _ targetClass: Int, _ targetKey: UInt64) -> Void
    ) {
        switch member.storage.element {
        case .link: body(member.number, member.classIndex, bytes.loadUnaligned(as: UInt64.self))
        case .embedded:
            guard let inner = RowView(bytes) else { return }
            forEachLink(of: classes[member.classIndex], in: inner, source, body)
        default:
            // Those to classes that the schema has.
            MixedView(bytes).forEachLink { classNumber, key in
                if let target = classIndexByNumber[classNumber] { body(member.number, target, key) }
            }
        }
    }
}

extension RowClass {
    /// Whether a row of an embedded object is to go with an object that goes away: whether it holds it by a
    /// link of its own that says so.
    ///
    /// - `classIndex`: The class of the object that goes away.
    /// - `source`: Reads out-of-line collections.
    func goes(
        _ row: RowView, withTarget key: UInt64, classIndex: Int, _ source: (any OverflowSource)?
    ) -> Bool {
        linkingMembers.contains { member in
            let compiled = members[member]
            guard compiled.onDelete == .cascade, compiled.classIndex == classIndex else {
                return false
            }
            if compiled.storage.shape == .single {
                let field = field(member, in: row)
                return !field.isNull && field.load(UInt64.self) == key
            }
            func isTarget(_ part: CollectionView, _ offset: Int) -> Bool {
                !part.isNull(offset) && part.pointer(offset).storedLink == key
            }
            guard let source else {
                let links = inlineLeaf(member, in: row).values
                return (0..<links.count).contains { isTarget(links, $0) }
            }
            return !collection(member, in: row, source).forEach(within: nil) { part, offset, _ in
                !isTarget(part, offset)
            }
        }
    }
}

/// Points in GeoJSON's form.
extension RowClass {
    /// Longitude and latitude of the point that an object of the class is; nil when it is none: when its
    /// type is not `Point`, in any case, or it has less than two coordinates. Whether they lie on the
    /// Earth is not looked at, nor is an altitude.
    ///
    /// Cost: some 10 ns; nothing is allocated while the coordinates lie in the row.
    package func point(in row: RowView, _ source: any OverflowSource)
        -> (longitude: Double, latitude: Double)?
    {
        guard pointType >= 0 else { return nil }
        let type = field(pointType, in: row)
        guard !type.isNull, isPoint(type.text(source)) else { return nil }
        let field = field(pointCoordinates, in: row)
        if !field.isOutOfLine {
            let values = CollectionView(field.heap, element: .double)
            guard values.count >= 2 else { return nil }
            return (values.pointer(0).storedDouble, values.pointer(1).storedDouble)
        }
        let values = StoredCollection(field, members[pointCoordinates].storage, source)
        guard let longitude = values.element(0), let latitude = values.element(1) else {
            return nil
        }
        return (
            longitude.part.pointer(longitude.offset).storedDouble,
            latitude.part.pointer(latitude.offset).storedDouble
        )
    }

    /// Returns the altitude of the point that an object of the class is; nil when it states none.
    package func altitude(in row: RowView, _ source: any OverflowSource) -> Double? {
        guard pointType >= 0 else { return nil }
        let field = field(pointCoordinates, in: row)
        let values = StoredCollection(field, members[pointCoordinates].storage, source)
        return values.element(2).map { $0.part.pointer($0.offset).storedDouble }
    }

    /// Whether a text is `Point`, in any case.
    private func isPoint(_ text: UnsafeRawBufferPointer) -> Bool {
        guard text.count == 5, let base = text.baseAddress else { return false }
        let word = base.loadUnaligned(as: UInt32.self).littleEndian | 0x2020_2020
        return word == 0x6E69_6F70 && base.load(fromByteOffset: 4, as: UInt8.self) | 0x20 == 0x74
    }
}
