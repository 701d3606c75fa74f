import Foundation
import Holdfast

/// Six properties, one of them indexed.
class Person: Object {
    @Persisted(indexed: true) var name = ""
    @Persisted var age = 0
    @Persisted var score = 0.0
    @Persisted var isActive = false
    @Persisted var born = Date(timeIntervalSince1970: 0)
    @Persisted var email = ""
}

class Account: Object {
    @Persisted(primaryKey: true) var number = 0
    @Persisted(indexed: true) var group = 0
    @Persisted var balance = 0
}

class Basket: Object {
    @Persisted var numbers: List<Int>
}

/// Thirty properties for thirty assignments.
class Form: Object {
    @Persisted var a0 = 0
    @Persisted var a1 = 0
    @Persisted var a2 = 0
    @Persisted var a3 = 0
    @Persisted var a4 = 0
    @Persisted var a5 = 0
    @Persisted var a6 = 0
    @Persisted var a7 = 0
    @Persisted var a8 = 0
    @Persisted var a9 = 0

    /// Thirty assignments.
    func fill(_ value: Int) {
        for round in 0..<3 {
            a0 = value + round
            a1 = value + round
            a2 = value + round
            a3 = value + round
            a4 = value + round
            a5 = value + round
            a6 = value + round
            a7 = value + round
            a8 = value + round
            a9 = value + round
        }
    }
}
