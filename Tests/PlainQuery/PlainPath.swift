import HoldfastObjectModel

/// A path: along links and embedded objects to an end where values are read.
struct PlainPath {
    /// A place in a list, or a key.
    enum Position {
        case index(Int)
        case first
        case last
        /// Under a key, written with a dot or in brackets.
        case key(String, isDotted: Bool)
    }

    /// A step from an object to others.
    enum Hop {
        /// Along a to-one link, or into an embedded object.
        case one(String)
        /// To each object of a collection; `form` is what is written behind the name.
        case many(String, form: String)
        /// To the object at a position, or under a key.
        case at(String, Position)
        /// Back along a property, by an inverse link's own name.
        case inverse(String)
        /// Back along a property of a class, by its name.
        case links(String, String)

        var isMany: Bool {
            switch self {
            case .one, .at: false
            case .many, .inverse, .links: true
            }
        }
    }

    /// A step within `mixed` values.
    enum MixedStep {
        case position(Position)
        /// Under a key, written with a dot or in brackets.
        case key(String, isDotted: Bool)
        case all
        case keys

        var isMany: Bool {
            switch self {
            case .all, .keys: true
            case .position, .key: false
            }
        }
    }

    /// What is asked of a `mixed` value.
    enum MixedResult {
        case value, count, kind
        case aggregate(Function)
    }

    /// What becomes of several values.
    enum Function: String, CaseIterable {
        case min = "@min"
        case max = "@max"
        case sum = "@sum"
        case average = "@avg"
    }

    /// What is read of the objects that the hops lead to.
    indirect enum End {
        /// A single property.
        case value(String)
        /// The elements of a collection; `form` is what is written behind the name.
        case elements(String, form: String)
        case elementAt(String, Position)
        case keys(String)
        case lengths(String)
        /// How many elements, objects or bytes a property has, as `form` asks.
        case count(String, form: String)
        case countAt(String, Position)
        case linkCount(String, String)
        case incomingCount
        /// The objects that link here.
        case inverse(String)
        case links(String, String)
        case aggregate(Function, String)
        /// What becomes of a property of all objects.
        case objectAggregate(Function, String)
        case mixed(String, [MixedStep], MixedResult)
        /// How many of the objects satisfy a condition, in which a variable stands for them.
        case matchCount(variable: String, PlainPredicate)
    }

    /// The class that it begins in.
    var root: String
    var hops: [Hop]
    var end: End
    /// What is read.
    var type: PlainType
    /// Whether the variable of the subquery around is written before it.
    var isPrefixed = false

    /// Whether it leads through several objects.
    var crossesMany: Bool { hops.contains { $0.isMany } }

    /// Whether it is one number about all the objects.
    var isFold: Bool {
        switch end {
        case .linkCount, .incomingCount, .objectAggregate, .matchCount: true
        default: false
        }
    }
}
