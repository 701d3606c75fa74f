import HoldfastObjectModel

extension RowSchema {
    /// Passes every link of a row to `body`, including links in embedded objects. A target is passed once for each link to it.
    ///
    /// - `only`: The top-level properties to read; nil for all.
    /// - `source`: Reads out-of-line collections.
    /// - `body`: Takes the number of the property that holds the link, the position of the target's class, and the target's key.
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

    /// Passes the links in a value of a property, or in one of its elements.
    ///
    /// - `bytes`: The stored bytes; not null.
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
            // Links to removed classes are ignored.
            MixedView(bytes).forEachLink { classNumber, key in
                if let target = classIndexByNumber[classNumber] { body(member.number, target, key) }
            }
        }
    }
}

extension RowClass {
    /// Whether an embedded object is deleted together with an object: whether it has a link to it that is declared to cascade.
    ///
    ///
    /// - `classIndex`: The class of the deleted object.
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

/// GeoJSON points.
extension RowClass {
    /// The longitude and latitude of an object that is a point. Nil if its type is not `Point`, in any case, or it has fewer than
    /// two coordinates. It does not check whether they are valid on the Earth, and ignores an altitude.
    ///
    /// Cost: about 10 ns. No allocation if the coordinates lie in the row.
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

    /// The altitude of an object that is a point; nil if it has no altitude.
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

extension RowSchema {
    /// The class of the point that a property of a class holds; nil if it holds no single point, or is unknown.
    package func point(of rowClass: RowClass, _ member: Int) -> RowClass? {
        let compiled = rowClass.members[member]
        guard !rowClass.unknown.contains(member), compiled.storage.shape == .single,
            compiled.storage.element == .embedded, classes[compiled.classIndex].isPointClass
        else { return nil }
        return classes[compiled.classIndex]
    }

    /// The properties of a class that hold one point each.
    package func points(of rowClass: RowClass) -> [Int] {
        rowClass.members.indices.filter { point(of: rowClass, $0) != nil }
    }
}
