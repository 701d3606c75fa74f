import HoldfastObjectModel

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
