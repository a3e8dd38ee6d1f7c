import Glibc
import Testing

@testable import HTTPServer

/// Who is silent for too long, with times that the test makes up.
@Suite struct ClientConnectionsTests {
  /// A client at the other end of a pair of sockets.
  private final class Client {
    let connection: ClientConnection
    private let ends: (own: Int32, far: Int32)

    init() throws {
      var pair: [Int32] = [-1, -1]
      guard socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &pair) == 0 else { throw Problem.system(errno) }
      ends = (pair[0], pair[1])
      connection = ClientConnection(socket: pair[0], peer: UnsafeRawBufferPointer(start: nil, count: 0))
    }

    deinit {
      close(ends.own)
      close(ends.far)
    }

    /// Whether the server has ended it: the far end reads the end of the stream.
    var isClosed: Bool {
      var byte: UInt8 = 0
      return recv(ends.far, &byte, 1, Int32(MSG_DONTWAIT)) == 0
    }
  }

  private enum Problem: Error { case system(Int32) }

  @Test func whoIsSilentForTheWholeTimeIsClosed() throws {
    var connections = ClientConnections(limit: 100)
    #expect(connections.nextLook == .max)
    let (early, late) = (try Client(), try Client())
    connections.add(early.connection, at: 1000)
    connections.add(late.connection, at: 1050)
    #expect(connections.nextLook == 1100)
    connections.closeSilent(at: 1099)
    #expect(!early.isClosed)
    connections.closeSilent(at: 1100)
    #expect(early.isClosed && !late.isClosed)
    #expect(connections.nextLook == 1150)
    connections.remove(early.connection)
    connections.remove(late.connection)
    connections.closeSilent(at: 9999)
    #expect(!late.isClosed && connections.nextLook == .max)
  }

  @Test func whoDoesSomethingHasItsTimeAnew() throws {
    var connections = ClientConnections(limit: 100)
    let clients = try (0..<3).map { _ in try Client() }
    for (index, client) in clients.enumerated() { connections.add(client.connection, at: Int64(index)) }
    // The first, the middle one and the last: each has its own way out of the list.
    connections.touch(clients[0].connection, at: 50)
    connections.touch(clients[2].connection, at: 60)
    connections.touch(clients[2].connection, at: 61)
    connections.closeSilent(at: 110)
    #expect(clients.map(\.isClosed) == [false, true, false])
    connections.remove(clients[1].connection)
    connections.closeSilent(at: 155)
    #expect(clients.map(\.isClosed) == [true, true, false])
    connections.closeSilent(at: 161)
    #expect(clients[2].isClosed)
  }

  @Test func whoWaitsForUsIsNotSilent() throws {
    var connections = ClientConnections(limit: 100)
    let client = try Client()
    connections.add(client.connection, at: 0)
    client.connection.phase = .waiting
    connections.closeSilent(at: 100)
    #expect(!client.isClosed)
    #expect(connections.nextLook == 200)
    client.connection.phase = .idle
    connections.closeSilent(at: 200)
    #expect(client.isClosed)
  }

  /// Of what is no TCP connection it cannot be told what was taken: it counts as nothing. The answer may have been given just before
  /// the first look, so it is the second that finds nothing taken.
  @Test func whoTakesNothingOfItsAnswerIsClosed() throws {
    var connections = ClientConnections(limit: 100)
    let client = try Client()
    connections.add(client.connection, at: 0)
    client.connection.phase = .receiving
    connections.closeSilent(at: 100)
    #expect(!client.isClosed && connections.nextLook == 200)
    connections.closeSilent(at: 200)
    #expect(client.isClosed)
  }

  @Test func withoutALimitNobodyIsLookedAt() throws {
    var connections = ClientConnections(limit: 0)
    let client = try Client()
    connections.add(client.connection, at: 0)
    connections.touch(client.connection, at: 1)
    connections.closeSilent(at: .max)
    #expect(!client.isClosed && connections.nextLook == .max)
    connections.remove(client.connection)
  }
}
