import Foundation
import Holdfast
import HoldfastTestSupport
import Testing

/// A value in every place that it can be stored in.
private enum Everywhere {
    final class Dates: Object {
        @Persisted(indexed: true) var plain: Date
        @Persisted var optional: Date?
        @Persisted var list: List<Date>
        @Persisted var set: MutableSet<Date>
        @Persisted var map: Map<String, Date>
        @Persisted var mixed: AnyRealmValue
        @Persisted var mixedList: List<AnyRealmValue>
    }

    final class Numbers: Object {
        @Persisted var double: Double
        @Persisted var float: Float
        @Persisted var decimal: Decimal128
        @Persisted var doubles: List<Double>
        @Persisted var floats: Map<String, Float>
        @Persisted var mixed: List<AnyRealmValue>
    }
}

@Suite("Values that are read")
struct RoundTripTests {
    @Test("are the dates that were written, in every place and to the last bit")
    func dates() throws {
        let realm = try Realm.ofSample("\(UUID())", [Everywhere.Dates.self])
        var random = SeededGenerator(seed: 13)
        var dates = (0..<1000).map { _ in
            Date(timeIntervalSinceReferenceDate: .random(in: 8_388_608...4e9, using: &random))
        }
        dates += dates.prefix(100).map {
            Date(timeIntervalSinceReferenceDate: -$0.timeIntervalSinceReferenceDate)
        }
        dates += [Date(), Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: -0.25)]
        dates += [Date.distantPast, Date.distantFuture, Date(timeIntervalSinceReferenceDate: 0.5)]
        let object = Everywhere.Dates()
        try realm.write { realm.add(object) }
        for date in dates {
            try realm.write {
                (object.plain, object.optional, object.mixed) = (date, date, .date(date))
                object.list = [date].list
                object.set.removeAll()
                object.set.insert(date)
                object.map["k"] = date
                object.mixedList.removeAll()
                object.mixedList.append(.fromArray([.date(date)]))
            }
            let read: [Date?] = [
                object.plain, object.optional, object.list.first, object.set.first,
                object.map["k"], object.mixed.dateValue,
                object.mixedList.first?.listValue?.first?.dateValue,
            ]
            #expect(read.allSatisfy { $0 == date }, "\(date.timeIntervalSinceReferenceDate)")
            #expect(realm.objects(Everywhere.Dates.self).where { $0.plain == date }.count == 1)
        }
    }

    @Test("of a date within 97 days of 2001 are it to the nanosecond")
    func fineDates() throws {
        let realm = try Realm.ofSample("\(UUID())", [Everywhere.Dates.self])
        var random = SeededGenerator(seed: 14)
        let object = Everywhere.Dates()
        try realm.write { realm.add(object) }
        for _ in 0..<100 {
            let date = Date(timeIntervalSinceReferenceDate: .random(in: -9e6...9e6, using: &random))
            try realm.write { object.plain = date }
            #expect(abs(object.plain.timeIntervalSince(date)) <= 1e-9)
        }
    }

    @Test("are the numbers that were written, to the last bit")
    func numbers() throws {
        let realm = try Realm.ofSample("\(UUID())", [Everywhere.Numbers.self])
        var random = SeededGenerator(seed: 15)
        let object = Everywhere.Numbers()
        try realm.write { realm.add(object) }
        for _ in 0..<200 {
            let double = Double(bitPattern: .random(in: 0...UInt64.max, using: &random))
            let float = Float(bitPattern: .random(in: 0...UInt32.max, using: &random))
            if double.isNaN || float.isNaN { continue }
            try realm.write {
                (object.double, object.float) = (double, float)
                object.doubles = [double].list
                object.floats["k"] = float
                object.mixed = [AnyRealmValue.double(double), .float(float)].list
            }
            #expect(object.double.bitPattern == double.bitPattern)
            #expect(object.float.bitPattern == float.bitPattern)
            #expect(object.doubles.first?.bitPattern == double.bitPattern)
            #expect(object.floats["k"]?.bitPattern == float.bitPattern)
            #expect(object.mixed.first?.doubleValue?.bitPattern == double.bitPattern)
            #expect(object.mixed.last?.floatValue?.bitPattern == float.bitPattern)
        }
    }
}

extension Array where Element: RealmCollectionValue {
    /// The elements as a list.
    fileprivate var list: List<Element> {
        let list = List<Element>()
        list.append(objectsIn: self)
        return list
    }
}
