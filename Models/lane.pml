/* The pool, its lanes and the monitor: what Sources/WorkerPool and Sources/HTTPServer do, step by step.

   A comment "P:" at an atomic block says: one section under the pool's lock, and which function it is. Other atomic blocks are one
   read-modify-write, or steps of libmicrohttpd that no other thread can see half done. Sizes and events are set by -D (below); -DM_NAME
   makes one of the wrong variants, each of which `Models/check` expects to fail. What is covered: docs/models.md. */

#ifndef LANES
#define LANES 1
#endif
#ifndef CONNECTIONS
#define CONNECTIONS 2   /* connection c belongs to lane c % LANES */
#endif
#ifndef REQUESTS
#define REQUESTS 1      /* per connection, one after the other */
#endif
#ifndef MIN
#define MIN 2           /* limits at the start */
#endif
#ifndef MAX
#define MAX 3
#endif
#ifndef SLOTS
#define SLOTS MAX       /* room for threads: the highest maximum that a change may set; at most 4 */
#endif
#ifndef BOOT
#define BOOT MIN        /* threads that exist at first; more than MIN saves states where ends are looked at */
#endif
#ifndef QUEUE
#define QUEUE EXCHANGES /* queueLimit */
#endif
#ifndef SWEEPS
#define SWEEPS 0        /* 1: a full queue may be swept of items that nobody waits for */
#endif
#ifndef CAPPED
#define CAPPED 0        /* connections (bits) whose requests belong to the bulkhead */
#endif
#ifndef CAP
#define CAP 1           /* how many of those run at once */
#endif
#ifndef RESETS
#define RESETS 0        /* connections that clients may reset */
#endif
#ifndef IDLE
#define IDLE 0          /* idle times that may end */
#endif
#ifndef FAILURES
#define FAILURES 0      /* threads that cannot be made */
#endif
#ifndef MESSAGES
#define MESSAGES 0      /* run loop messages to any worker */
#endif
#ifndef CHANGES
#define CHANGES 0       /* calls of setLimits, with any limits that are allowed */
#endif
#ifndef LATE
#define LATE 0          /* items that outlive the queue deadline */
#endif
#ifndef OVERDUE
#define OVERDUE 0       /* requests that outlive their route's time limit */
#endif
#ifndef DRAIN
#define DRAIN 0         /* 1: the server is drained at some moment; 2: and the drain timeout passes */
#endif
#ifndef INLINE
#define INLINE 255      /* the connection whose requests are answered by the leader */
#endif
#ifndef WAITS
#define WAITS 0         /* connections (bits) whose handlers wait until AWAITED was answered, or its client left */
#endif
#ifndef AWAITED
#define AWAITED INLINE
#endif
#ifndef MESSAGEWAITS
#define MESSAGEWAITS 0  /* 1: so do handlers of messages */
#endif
#ifndef STUCK
#define STUCK 0         /* connections (bits) whose handlers run until they are cancelled */
#endif
#ifndef HANGS
#define HANGS 0         /* connections (bits) whose handlers never end */
#endif
#ifndef STARTFAILS
#define STARTFAILS 0    /* threads of the start that cannot be made; the monitor does not tick yet, and the server is drained */
#endif
#ifndef INLIBRARY
#define INLIBRARY 1     /* 1: a leader sleeps in the library's epoll set, and wakes in the middle of a run; 0: in a set around it */
#endif
#ifndef PAY
#define PAY 0           /* 1: debts are paid in a step of its own, after the lock was released */
#endif

#define EXCHANGES (CONNECTIONS*REQUESTS)
#define LANE(c) ((c)%LANES)
#define X(c) ((c)*REQUESTS+current[c])
#define CONNECTION(x) ((x)/REQUESTS)
#define BIT(k) (1<<(k))

/* ---------- Scheduler, under P ---------- */
chan queue = [EXCHANGES] of { byte };
#if CAPPED
chan held = [EXCHANGES] of { byte };    /* Bulkhead.held */
byte taken;                             /* Bulkhead.taken */
byte running;           /* not in the code: members that have run one of them, until they give its slot back */
#define DEPTH (len(queue)+len(held))
#define ISCAPPED(x) ((BIT(CONNECTION(x)) & CAPPED)!=0)
#else
#define DEPTH len(queue)
#endif
byte started, pending, outside, waking, onStack;
byte minThreads = MIN, maxThreads = MAX;
bool isArmed, isClosing, headSeen;
byte backoff;           /* spawnBackoff: two ticks here, a hundred in the code */
#define VACANT 0
#define HELD 1
#define CLOSED 2
byte state[LANES];      /* LaneSlot */
bool seen[LANES], due[LANES];
byte openLanes = LANES;
/* A worker's parking word. ASIDE: its idle time is over, and it has not asked yet whether it may end. */
#define GONE 0
#define BORN 1          /* made, before its first step */
#define AWAKE 2
#define PARKED 3
#define ASIDE 4
#define CALLED 5        /* off the stack, with a token */
byte word[SLOTS];
bool mayEnd[SLOTS];     /* of a parked one: it sleeps at most for the idle time */
bool message[SLOTS];    /* the word's message bit */
#ifdef M_DEAF
bool deaf[SLOTS];
#endif
/* ---------- what was decided and is paid: see PAY ---------- */
#if PAY
bool isTicking;
byte paid;              /* bit k: the wake-up or the creation of thread k has been paid */
#define TICKING isTicking
#define PAID(k) (paid & BIT(k))
#else
#define TICKING isArmed
#define PAID(k) true
#endif
/* ---------- Inbox: one atomic word per lane ---------- */
byte inbox[LANES];      /* bit c: the exchange of connection c; DRAINS, EXPIRES: commands */
bool sleeping[LANES];
bool eventfd[LANES];
#define DRAINS 128
#define EXPIRES 64
/* ---------- the leader's ---------- */
bool inPass[LANES];
#if INLIBRARY
bool hasRun[LANES];     /* the library has run when the leader woke in it, and the pass has not begun */
#endif
byte live[LANES], batch[LANES];
bool isDraining[LANES];
#if DRAIN==2 && !defined(M_LATECOMERRUNS)
bool isExpired[LANES];  /* the drain timeout has passed: requests that come now are refused at once */
#define REFUSED(l) isExpired[l]
#else
#define REFUSED(l) false
#endif
/* ---------- ExchangeState ---------- */
#define C 1             /* claimed */
#define F 2             /* finished */
#define S 4             /* suspended */
#define A 8             /* abandoned */
byte exchange[EXCHANGES];
#define ANSWERED 1
#define DROPPED 2
byte fate[EXCHANGES];   /* not in the code: which of the two became of it */
/* ---------- libmicrohttpd 0.9.75: a connection, its socket, the two epoll sets ---------- */
#define READING 0
#define WAITING 1       /* its request is complete and has no answer yet */
#define SHUT 2
byte stage[CONNECTIONS];
bool arrived[CONNECTIONS], gone[CONNECTIONS], inEpoll[CONNECTIONS], edge[CONNECTIONS], ready[CONNECTIONS];
bool suspended[CONNECTIONS], resuming[CONNECTIONS], readable[CONNECTIONS], failed[CONNECTIONS];
byte current[CONNECTIONS];  /* the number of the request in progress */
byte served[CONNECTIONS];   /* answers that the client has had */
#ifdef M_MESSAGEATBIRTH
#define ATBIRTH true
#else
#define ATBIRTH false
#endif
/* ---------- not in the code: counted to be compared with what the code believes ---------- */
byte inside;            /* threads inside handlers or handling messages */
byte boot = BOOT;       /* threads of the start that have not taken their first step */
byte resets = RESETS, idles = IDLE, failures = FAILURES, messages = MESSAGES, changes = CHANGES, late = LATE;
byte overdue = OVERDUE;

#if LANES==1
#define ANYVACANT (state[0]==VACANT)
#define ANYDUE (state[0]==VACANT && due[0])
#else
#define ANYVACANT (state[0]==VACANT || state[1]==VACANT)
#define ANYDUE ((state[0]==VACANT && due[0]) || (state[1]==VACANT && due[1]))
#endif
#ifdef M_NORESERVE
#define MAYRUN true
#else
#define MAYRUN (outside > openLanes)
#endif
#define CANUP (waking==0 && (onStack>0 || (started+pending<maxThreads && backoff==0)))
#define ISSHORT (!isClosing && started+pending<minThreads)
#define TICKEDGE(l,c) (LANE(c)==(l) && inEpoll[c] && edge[c])
#define ISREADY(l,c) (LANE(c)==(l) && ready[c])
#define ISSUSPENDED(l,c) (LANE(c)==(l) && suspended[c])
#define ISOPEN(l,c) (LANE(c)==(l) && stage[c]==WAITING && (exchange[X(c)] & C)==0)
#if CONNECTIONS==1
#define ANY(p,l) (p(l,0))
#elif CONNECTIONS==2
#define ANY(p,l) (p(l,0) || p(l,1))
#else
#define ANY(p,l) (p(l,0) || p(l,1) || p(l,2))
#endif

/* In the code it is the last that parked who is called; here any parked worker may be, so that nothing rests on the order. Workers in the
   same state are interchangeable, and of those it is enough to try the lowest; with messages, or debts in steps of their own, two may
   look alike and differ in what they do next, so each is tried. */
#if MESSAGES || PAY
#define FIRST(i) true
#else
#define SAME(j,i) (j<SLOTS && word[(j)%SLOTS]==word[(i)%SLOTS] && mayEnd[(j)%SLOTS]==mayEnd[(i)%SLOTS])
#define FIRST(i) ((i==0 || !SAME(0,i)) && (i<=1 || !SAME(1,i)) && (i<=2 || !SAME(2,i)))
#endif
#define ISPARKED(i) (i<SLOTS && (word[(i)%SLOTS]==PARKED || word[(i)%SLOTS]==ASIDE))
#define ISGONE(i) (i<SLOTS && word[(i)%SLOTS]==GONE)
/* Threads that have started, counted. */
#define ALIVE(i) (i<SLOTS && word[(i)%SLOTS]!=GONE && word[(i)%SLOTS]!=BORN)
#define COUNTED (ALIVE(0)+ALIVE(1)+ALIVE(2)+ALIVE(3))

#if PAY
#define OWEWAKE(k) owed = owed | BIT(k)
#else
#define OWEWAKE(k) skip
#endif
#ifdef M_STARTEDCOUNTSPENDING
#define MAKE started++
#define MADE skip
#define NOTMADE started--
#else
#define MAKE pending++
#define MADE pending--; started++
#define NOTMADE pending--
#endif

/* Scheduler.arm */
inline arm() {
#ifdef M_NOARM
  skip
#elif PAY
  if :: !isArmed -> isArmed=true; owesTick=true :: else fi
#else
  isArmed=true
#endif
}
/* Scheduler.bringUp's call: popLast, deliverToken; the two are one step */
inline callOne(k) { word[k]=CALLED; mayEnd[k]=false; onStack--; waking++; OWEWAKE(k) }
inline wakeOne() {
  if :: ISPARKED(0) -> callOne(0)
     :: ISPARKED(1) && FIRST(1) -> callOne(1%SLOTS)
     :: ISPARKED(2) && FIRST(2) -> callOne(2%SLOTS)
     :: ISPARKED(3) && FIRST(3) -> callOne(3%SLOTS)
  fi
}
/* Scheduler.spawn */
inline spawnOne(k) { word[k]=BORN; MAKE; waking++; OWEWAKE(k) }
inline spawn() {
  if :: ISGONE(0) -> spawnOne(0)
     :: ISGONE(1) && FIRST(1) -> spawnOne(1%SLOTS)
     :: ISGONE(2) && FIRST(2) -> spawnOne(2%SLOTS)
     :: ISGONE(3) && FIRST(3) -> spawnOne(3%SLOTS)
  fi
#ifdef M_OUTSIDECOUNTSPENDING
  ; outside++
#endif
}
inline bringUp() {
  if :: waking==0 && onStack>0 -> wakeOne()
     :: waking==0 && onStack==0 && started+pending<maxThreads && backoff==0 -> spawn()
     :: else
  fi
}
/* Scheduler.wakeAll */
inline wakeAll() {
  i=0;
  do :: i<SLOTS -> if :: ISPARKED(i) -> callOne(i) :: else fi; i++
     :: else -> break
  od; i=0
}
/* WorkerPool.pay: system calls only */
inline pay() {
#if PAY
  paid = paid | owed; owed=0;
  if :: owesTick -> isTicking=true; owesTick=false :: else fi
#else
  skip
#endif
}
#if PAY
#define OWES (owed!=0 || owesTick)
#else
#define OWES false
#endif
/* I3, at the end of a section: not before all threads of the start have come, since nothing is armed until then */
#ifdef M_NOARM
#define CHECKARMED skip
#else
#define CHECKARMED assert(boot>0 || isArmed || !(ANYVACANT || TOWATCH>0))
#endif
#ifdef M_DISARMEDOVERHELD
#define TOWATCH len(queue)   /* wrong: what is held back is nobody's business */
#else
#define TOWATCH DEPTH
#endif
/* WorkQueue.append. A freed item goes to the end here, to the place that it came for in the code: nothing rests on the order. */
inline join(y) {
#if CAPPED
  if :: ISCAPPED(y) && taken>=CAP -> held!y
     :: ISCAPPED(y) && taken<CAP -> taken++; queue!y
     :: !ISCAPPED(y) -> queue!y
  fi
#else
  queue!y
#endif
}
#if CAPPED
/* WorkQueue.handOn */
inline handOn() {
  if :: len(held)>0 -> held?h; queue!h; h=0;
#ifdef M_SLOTTWICE
        taken--                         /* wrong: free, and handed on */
#endif
     :: len(held)==0 -> taken--
  fi
}
/* WorkQueue.hasRun */
inline leaveSlot() {
  if :: slot -> slot=false; running--; handOn() :: else fi
}
#endif
/* Scheduler.take. Whether the item is expected to be long, and whether a processor is free, may turn out either way. */
inline take() {
#ifdef M_HELDRUNS
  if :: len(queue)>0 -> queue?x :: len(queue)==0 -> held?x fi;      /* wrong: what is held back counts as what may run */
#else
  queue?x;
#endif
  outside--; inside++; headSeen=false;
#if CAPPED
  if :: ISCAPPED(x) -> slot=true; running++; assert(running<=CAP) :: else fi;
#endif
  if :: len(queue)>0 -> arm(); if :: CANUP -> bringUp() :: true fi
     :: else
  fi;
  assert(COUNTED-inside>=openLanes)   /* I2: somebody can lead */
}
/* Scheduler.depart */
inline depart() { started--; outside--; word[w]=GONE; mayEnd[w]=false }

/* ---------- an exchange is finished by whoever claims it: Exchange.claim, publish ---------- */
/* HTTPLane.deliver: push, and the eventfd if the leader sleeps */
inline post(l,b) {
  inbox[l] = inbox[l] | (b);
#ifdef M_NOEVENTFD
  sleeping[l]=false
#else
  if :: sleeping[l] -> sleeping[l]=false; eventfd[l]=true :: else fi
#endif
}
inline drop(x) { assert(fate[x]==0); fate[x]=DROPPED }
inline setFinished(x) {
  assert(!(exchange[x] & F));         /* two results */
  exchange[x] = exchange[x] | F;
  if :: exchange[x] & A -> drop(x) :: else fi
}
/* ---------- libmicrohttpd, on the leader ---------- */
/* MHDCallbacks.completed -> HTTPLane.end */
inline end(c,l) {
  live[l]--;
  exchange[X(c)] = exchange[X(c)] | A
}
inline shut(c,l) {
  if :: stage[c]==WAITING ->
        end(c,l);
        if :: exchange[X(c)] & F -> drop(X(c)) :: else fi
     :: else
  fi;
  stage[c]=SHUT; ready[c]=false; inEpoll[c]=false; edge[c]=false; readable[c]=false;
  zero=true                           /* HTTPLane.pass: a connection was closed, so one more pass */
}
inline keepAlive(c) {
  if :: !readable[c] -> ready[c]=false;
        if :: !inEpoll[c] -> inEpoll[c]=true; edge[c]=true :: else fi
     :: else
  fi
}
/* HTTPLane.queue; the completion callback is taken to come at once */
inline answer(c,l) {
  if :: exchange[X(c)] & F -> assert(fate[X(c)]==0); fate[X(c)]=ANSWERED; end(c,l)
     :: else -> live[l]--             /* an inline route, or refused by the leader */
  fi;
  served[c]++; stage[c]=READING;
  if :: current[c]<REQUESTS-1 -> current[c]++ :: else fi;
  keepAlive(c)
}
/* HTTPLane.meetAgain */
inline meetAgain(c,l) {
  if :: (exchange[X(c)] & F) && (exchange[X(c)] & S) && gone[c] -> shut(c,l)    /* isReset */
     :: (exchange[X(c)] & F) && !((exchange[X(c)] & S) && gone[c]) -> answer(c,l)
     :: else -> exchange[X(c)] = exchange[X(c)] | S;    /* the bit before the act */
        suspended[c]=true; ready[c]=false; inEpoll[c]=false; edge[c]=false
  fi
}
/* One connection of MHD's ready list. */
inline visit(c,l) {
  if :: LANE(c)==l && ready[c] && stage[c]!=SHUT && !suspended[c] ->
        if :: failed[c] -> shut(c,l)
           :: !failed[c] && stage[c]==READING ->
              if :: readable[c] && arrived[c] ->   /* the request is complete: HTTPLane.requestIsComplete */
                    arrived[c]=false; readable[c]=gone[c]; stage[c]=WAITING; live[l]++;
                    if :: c==INLINE || REFUSED(l) -> answer(c,l)
                       :: else -> batch[l] = batch[l] | BIT(c)      /* HTTPLane.collect */
                    fi
                 :: readable[c] && !arrived[c] && gone[c] -> shut(c,l)
                 :: else -> readable[c]=false; keepAlive(c)
              fi
           :: !failed[c] && stage[c]==WAITING -> meetAgain(c,l)
        fi
     :: else
  fi
}
inline resume(c,l) {
  if :: LANE(c)==l && suspended[c] && resuming[c] ->
        suspended[c]=false; resuming[c]=false; ready[c]=true; readable[c]=true
     :: else
  fi
}
inline innerEpoll(c,l) {
  if :: LANE(c)==l && inEpoll[c] && edge[c] -> edge[c]=false;
        if :: gone[c] -> failed[c]=true; ready[c]=true
           :: !gone[c] && arrived[c] -> readable[c]=true; ready[c]=true
           :: else
        fi
     :: else
  fi
}
/* Inbox.take, and what HTTPLane.pass does with it */
inline takeInbox(l) {
  i=0;
  do :: i<CONNECTIONS ->
        if :: inbox[l] & BIT(i) -> assert(suspended[i] && stage[i]!=SHUT); resuming[i]=true   /* I5 */
           :: else
        fi; i++
     :: else -> break
  od; i=0;
  if :: inbox[l] & DRAINS -> isDraining[l]=true :: else fi;
  expires = (inbox[l] & EXPIRES)!=0;
#if INLIBRARY && !defined(M_RUNSKIPPED)
  if :: inbox[l]!=0 -> hasRun[l]=false :: else fi;       /* what is resumed needs a run that comes after */
#endif
  inbox[l]=0; sleeping[l]=false
}
/* LaneSlot(state: .vacant) */
inline leaveLane(l) { state[l]=VACANT; seen[l]=false; due[l]=false }

#ifdef M_STOPEARLY
#define ISDRAINED (isDraining[l] && !zero && len(queue)==0 && batch[l]==0)
#else
#define ISDRAINED (isDraining[l] && !zero && live[l]==0)
#endif
#if WAITS || STUCK || HANGS
#define BLOCKS 1
#else
#define BLOCKS 0
#endif
#define CANHAPPEN (served[(AWAITED)%CONNECTIONS]>0 || gone[(AWAITED)%CONNECTIONS] || stage[(AWAITED)%CONNECTIONS]==SHUT)
#define RETURNS(c) ((BIT(c) & HANGS)==0 && ((BIT(c) & WAITS)==0 || CANHAPPEN) && ((BIT(c) & STUCK)==0 || (exchange[x] & (C|A))))

#define BIRTH 0
#define HANDLER 1
#define TOKEN 2
#define ELSEWHERE 3

#ifdef M_HELDRUNS
#define HASRUNNABLE (DEPTH>0)
#else
#define HASRUNNABLE (len(queue)>0)
#endif

proctype Worker(byte w) {
  byte x, l, i, from;
  bool zero, expires;
#if INLIBRARY
  bool woke;              /* in the library, by what it slept for */
#endif
  byte refused;
#if SWEEPS
  byte over, n;
#endif
#if CAPPED || SWEEPS
  byte h;
#endif
#if CAPPED
  bool slot;
#endif
#if PAY
  byte owed; bool owesTick;
#endif
#ifdef M_LANEKEPT
  byte kept;
#endif
#ifdef M_BATCHPRIVATE
  byte mine;
#endif
ended:
end_ended:
  atomic { word[w]==BORN && PAID(w) ->   /* OwnedThread.start has given a thread, or has not */
#if PAY
    paid = paid & ~BIT(w);
#endif
    if :: boot==0 || w>=STARTFAILS -> from=BIRTH
       :: (failures>0 && boot==0) || (boot>0 && w<STARTFAILS) ->        /* P: spawnFailed */
          if :: boot>0 -> boot-- :: else -> failures-- fi; NOTMADE; waking--; backoff=2; word[w]=GONE;
#ifdef M_FAILUREKEEPSWAKING
          waking++;
#endif
#ifdef M_OUTSIDECOUNTSPENDING
          outside--;
#endif
#ifndef M_FAILUREDOESNOTARM
          arm();
#endif
          CHECKARMED; goto payEnded
    fi
  }
turn:                                    /* ThreadRunLoop.turns: messages come first */
#if MESSAGES
  if
#ifdef M_MESSAGEATBIRTH
  :: atomic { from==BIRTH && message[w] -> message[w]=false; goto birthMessage }
#endif
  :: atomic { from!=BIRTH && from!=TOKEN && message[w] -> message[w]=false;
       if :: from==ELSEWHERE ->          /* P: leaveForMessages */
#ifndef M_MESSAGEOUTSIDE
             outside--;
#endif
             inside++; from=HANDLER
          :: else
       fi;
#if CAPPED && !defined(M_SLOTKEPT)
       if :: slot -> leaveSlot();        /* P: leaveBulkhead */
#ifndef M_DISARMEDOVERHELD
             if :: len(queue)>0 -> arm(); if :: bringUp() :: true fi :: else fi
#endif
          :: else
       fi; CHECKARMED;
#endif
       goto handleMessage }
  :: goto next
  fi;
#ifdef M_MESSAGEATBIRTH
birthMessage: atomic { !MESSAGEWAITS || CANHAPPEN };
#endif
#endif
next:
  atomic {                               /* P: next */
#ifdef M_BATCHPRIVATE
    if :: from==HANDLER && mine ->
          i=0; do :: !(mine & BIT(i)) -> i++ :: else -> break od; x=X(i); mine = mine & ~BIT(i); i=0; goto runItem
       :: else
    fi;
#endif
    if :: from==BIRTH -> waking--; word[w]=AWAKE; MADE;
#ifndef M_OUTSIDECOUNTSPENDING
          outside++;
#endif
          if :: boot>0 -> boot-- :: else fi
       :: from==HANDLER -> inside--;
#ifdef M_MESSAGEOUTSIDE
          if :: x==255 -> x=0 :: else -> outside++ fi
#else
          outside++
#endif
#if CAPPED && !defined(M_ENDSWITHSLOT)
          ; leaveSlot()
#endif
       :: from==TOKEN -> waking--; word[w]=AWAKE
       :: else
    fi;
    from=ELSEWHERE; x=0; l=0;
#ifdef M_LANEKEPT
    if :: kept>0 -> l=kept-1; kept=0; goto lead :: else fi;
#endif
    assert(outside<=started+pending);
    if :: isClosing && openLanes==0 && len(queue)==0 -> depart(); goto ended
       :: else
    fi;
#ifdef M_ENDSWITHSLOT
    leaveSlot();                         /* wrong: after the test, so that it may end with the slot */
#endif
#ifdef M_ABOVEMAXIMUMENDS
    if :: started>maxThreads -> depart(); assert(COUNTED-inside>=openLanes); goto ended
#else
    if :: started>maxThreads && outside>openLanes -> depart(); assert(COUNTED-inside>=openLanes); goto ended
#endif
       :: else
    fi;
    if :: HASRUNNABLE && MAYRUN && !ANYDUE -> take(); CHECKARMED; goto payRunItem
       :: else
    fi;
    if :: state[0]==VACANT ->
#ifndef M_TWOLEAD
          state[0]=HELD; seen[0]=false; due[0]=false;
#endif
          l=0; goto lead
       :: else
    fi;
#if LANES>1
    if :: state[1]==VACANT -> state[1]=HELD; seen[1]=false; due[1]=false; l=1; goto lead
       :: else
    fi;
#endif
    assert(len(queue)==0);               /* I4 */
#if MESSAGES
    if                                   /* prepareToPark: one compare-and-swap */
#ifdef M_DEAF
       :: message[w] -> deaf[w]=true
#else
       :: message[w] -> goto turn
#endif
       :: else
    fi;
#endif
#ifndef M_PARKCHECK
    word[w]=PARKED; mayEnd[w]=started>minThreads; onStack++;
#endif
    CHECKARMED
  };
#ifdef M_PARKCHECK
  atomic { word[w]=PARKED; mayEnd[w]=started>minThreads; onStack++ };  /* wrong: decided, released P, then pushed */
#endif
parked:
end_parked:
  if :: atomic { word[w]==CALLED && PAID(w) -> from=TOKEN;     /* consumeToken */
#if PAY
         paid = paid & ~BIT(w);
#endif
         goto turn }
     :: atomic { idles>0 && word[w]==PARKED && mayEnd[w] -> idles--; word[w]=ASIDE }
#if MESSAGES
#ifdef M_DEAF
     :: atomic { message[w] && !deaf[w] -> goto leaveParked }
#else
     :: atomic { message[w] && (word[w]==PARKED || word[w]==CALLED) -> goto leaveParked }
#endif
#endif
  fi;
#ifdef M_ENDCHECK
  atomic { zero = (started>minThreads && len(queue)==0 && !ANYVACANT) };  /* wrong: decides, then takes P */
#endif
  if
#if MESSAGES
  :: atomic { message[w] -> goto leaveParked }
#endif
  :: atomic {                            /* P: Worker.afterParking, endIdle */
#ifdef M_TOKENENDS
    if :: word[w]==CALLED && started>minThreads -> started--; outside--; word[w]=GONE;
#if PAY
          paid = paid & ~BIT(w);
#endif
          goto ended
       :: else
    fi;
#endif
    if :: word[w]==CALLED -> zero=false; goto parked           /* called meanwhile: it must not end */
#ifdef M_ENDCHECK
       :: word[w]==ASIDE && zero -> zero=false;
#else
       :: word[w]==ASIDE && started>minThreads && len(queue)==0 && !ANYVACANT ->       /* ended */
#endif
          onStack--; depart(); assert(COUNTED>=minThreads); goto ended
#ifdef M_ENDCHECK
       :: word[w]==ASIDE && !zero -> word[w]=PARKED; goto parked
#else
       :: word[w]==ASIDE && started>minThreads && !(len(queue)==0 && !ANYVACANT) ->     /* busy */
          word[w]=PARKED; goto parked
       :: word[w]==ASIDE && started<=minThreads ->                                     /* needed */
          word[w]=PARKED; mayEnd[w]=false; goto parked
#endif
    fi }
  fi;
#if MESSAGES
leaveParked:
  atomic { message[w]=false;
#ifdef M_MESSAGEONSTACK
    goto handleStacked;                  /* wrong: it can still be called while it handles the message */
#endif
    if :: word[w]==CALLED ->             /* P: handTokenOn */
#ifndef M_MESSAGEEATSTOKEN
          waking--;
#endif
#if PAY
          paid = paid & ~BIT(w);
#endif
          word[w]=AWAKE; inside++;
#ifdef M_MESSAGEOUTSIDE
          x=255;
#else
          outside--;
#endif
          if :: len(queue)>0 || ANYVACANT -> arm(); bringUp() :: else fi
       :: else ->                        /* P: leaveStack */
          onStack--; word[w]=AWAKE; mayEnd[w]=false; inside++;
#ifdef M_MESSAGEOUTSIDE
          x=255
#else
          outside--
#endif
    fi;
    from=HANDLER; CHECKARMED
  };
#if PAY
  atomic { pay() };
#endif
handleMessage:
  atomic { !MESSAGEWAITS || CANHAPPEN -> goto turn };
#ifdef M_MESSAGEONSTACK
handleStacked:
  atomic { !MESSAGEWAITS || CANHAPPEN -> goto parked };
#endif
#endif
lead:
#ifdef M_TWOLEAD
  atomic { state[l]=HELD; seen[l]=false; due[l]=false };
#endif
#ifdef M_NEWLEADERWAITS
  goto trySleep;
#endif
pass:                                    /* HTTPLane.pass */
#if MESSAGES
#ifdef M_MESSAGEKEEPSLANE
  if :: atomic { message[w] -> message[w]=false };
        atomic { !MESSAGEWAITS || CANHAPPEN };
     :: true
  fi;
#else
  if :: atomic { message[w] -> message[w]=false;      /* P: vacate */
          leaveLane(l); inside++; from=HANDLER; zero=false;
#ifdef M_MESSAGEOUTSIDE
          x=255;
#else
          outside--;
#endif
#ifdef M_VACATEQUIETLY
          due[l]=true
#else
          due[l]=true; arm(); bringUp(); CHECKARMED
#endif
        };
#if PAY
        atomic { pay() };
#endif
        goto handleMessage
     :: true
  fi;
#endif
#endif
#if INLIBRARY
  atomic { assert(!inPass[l]); inPass[l]=true; zero=zero && hasRun[l]; takeInbox(l) };    /* I1 */
#else
  atomic { assert(!inPass[l]); inPass[l]=true; zero=false; takeInbox(l) };    /* I1 */
#endif
#if DRAIN==2
  if :: atomic { expires ->              /* HTTPLane.carryOut(.expire) */
#ifndef M_LATECOMERRUNS
        isExpired[l]=true;
#endif
        expires=false };
        do :: atomic { i<CONNECTIONS && ISOPEN(l,i) -> exchange[X(i)] = exchange[X(i)] | C };   /* claim */
              atomic { setFinished(X(i));                                                       /* publish */
#ifndef M_EXPIREDNOTPOSTED
                       if :: exchange[X(i)] & S -> post(l, BIT(i)) :: else fi;
#endif
                       i++ }
           :: atomic { i<CONNECTIONS && !ISOPEN(l,i) -> i++ }
           :: atomic { i>=CONNECTIONS -> i=0; break }
        od
     :: atomic { !expires }
  fi;
#endif
#if INLIBRARY
  if :: atomic { hasRun[l] -> hasRun[l]=false; goto hasRunAlready } :: atomic { !hasRun[l] } fi;
library:                                  /* MHD_run, or MHD_run_wait after the sleep */
#endif
  atomic { i=0; do :: i<CONNECTIONS -> resume(i,l); i++ :: else -> break od; i=0 };      /* MHD_run begins */
  atomic { i=0; do :: i<CONNECTIONS -> innerEpoll(i,l); i++ :: else -> break od; i=0 };
#ifdef M_LOADTHENSTORE
  do :: i<CONNECTIONS && LANE(i)==l -> visit(i,l); i++     /* wrong: looks at the bits, then stores them: two steps */
#else
  do :: atomic { i<CONNECTIONS && LANE(i)==l -> visit(i,l); i++ }
#endif
     :: atomic { i<CONNECTIONS && LANE(i)!=l -> i++ }
     :: atomic { i>=CONNECTIONS -> i=0; break }
  od;
#if INLIBRARY
  if :: atomic { woke -> woke=false; inPass[l]=false; hasRun[l]=true; goto pass } :: atomic { !woke } fi;
hasRunAlready:
#endif
#if OVERDUE
  do :: atomic { overdue>0 && i<CONNECTIONS && ISOPEN(l,i) ->      /* HTTPLane.enforceDeadlines: claim */
          overdue--; exchange[X(i)] = exchange[X(i)] | C };
        atomic { setFinished(X(i)); if :: exchange[X(i)] & S -> post(l, BIT(i)) :: else fi; zero=true; i++ }
     :: atomic { i<CONNECTIONS -> i++ }
     :: atomic { i>=CONNECTIONS -> i=0; break }
  od;
#endif
  atomic {
    inPass[l]=false;
    zero = zero || ANY(ISREADY,l);       /* MHD_get_timeout */
#ifdef M_STOPLAST
    if :: len(queue)==0 && ISDRAINED -> goto closeLane
#else
    if :: ISDRAINED -> goto closeLane        /* before the queue is looked at */
#endif
       :: else
    fi;
    /* WorkerPool.hasQueuedItems is a glance: it may miss what others have just queued */
    if :: batch[l]==0 -> goto afterPass
       :: batch[l]!=0 || len(queue)>0
    fi;
    /* P: publish */
    i=0;
#if SWEEPS
    if :: DEPTH>=QUEUE -> n=len(queue);  /* makeRoom: now, or not again so soon */
          do :: n>0 -> n--; queue?h;
                if :: exchange[h] & (C|A) -> over = over | BIT(h);
#if CAPPED
                      if :: ISCAPPED(h) -> handOn() :: else fi
#endif
                   :: else -> queue!h
                fi
             :: else -> break
          od; h=0
       :: true
    fi;
#endif
    do :: i<CONNECTIONS ->
#ifdef M_BATCHPRIVATE
          if :: (batch[l] & BIT(i)) && len(queue)==0 -> queue!X(i)
             :: (batch[l] & BIT(i)) && len(queue)>0 -> mine = mine | BIT(i)
#else
          if :: (batch[l] & BIT(i)) && DEPTH<QUEUE -> join(X(i))
             :: (batch[l] & BIT(i)) && DEPTH>=QUEUE -> refused = refused | BIT(i)
#endif
             :: else
          fi; i++
       :: else -> break
    od; i=0; batch[l]=0;
    if :: DEPTH>0 -> arm() :: else fi;
    if :: HASRUNNABLE ->
          if :: MAYRUN ->
#ifdef M_LANEKEPT
                kept=l+1;                /* wrong: the lane stays mine while I am inside a handler */
#else
                leaveLane(l);
                if :: due[l]=true; bringUp()     /* expected to be long */
                   :: true
                fi;
#endif
                from=HANDLER; take()
             :: else -> if :: bringUp() :: true fi       /* hasFreeCore */
          fi
       :: else
    fi;
    CHECKARMED
  };
#ifdef M_PAYLATE
  atomic { if :: from!=HANDLER -> pay() :: else fi };
#elif PAY
  atomic { pay() };
#endif
#if SWEEPS
  do :: atomic { over && i<EXCHANGES && (over & BIT(i)) && !(exchange[i] & C) ->      /* HTTPLane.refuse, over: claim */
          exchange[i] = exchange[i] | C };
        atomic { setFinished(i); over = over & ~BIT(i);
                 if :: exchange[i] & S -> post(l, BIT(CONNECTION(i))) :: else fi; i++ }
     :: atomic { over && i<EXCHANGES && (over & BIT(i)) && (exchange[i] & C) ->
#ifdef M_OVERISFINISHED
          setFinished(i);                      /* wrong: somebody else has claimed it */
#endif
          over = over & ~BIT(i); i++ }
     :: atomic { over && i<EXCHANGES && !(over & BIT(i)) -> i++ }
     :: atomic { over==0 -> i=0; break }
  od;
#endif
#if QUEUE<EXCHANGES
  do :: atomic { refused && i<CONNECTIONS && (refused & BIT(i)) && !(exchange[X(i)] & C) ->      /* HTTPLane.refuse: claim */
#ifdef M_REFUSESASLEADER
          assert(!inPass[l]);                  /* wrong: uses what belongs to the lane's leader, who may be another by now */
#endif
          exchange[X(i)] = exchange[X(i)] | C };
        atomic { setFinished(X(i)); refused = refused & ~BIT(i); zero=true;
                 if :: exchange[X(i)] & S -> post(l, BIT(i)) :: else fi; i++ }
     :: atomic { refused && i<CONNECTIONS && (refused & BIT(i)) && (exchange[X(i)] & C) -> refused = refused & ~BIT(i); i++ }
     :: atomic { refused && i<CONNECTIONS && !(refused & BIT(i)) -> i++ }
     :: atomic { refused==0 -> i=0; break }
  od;
#endif
  if :: atomic { from==HANDLER -> zero=false; goto runItem }
     :: atomic { from!=HANDLER }
  fi;
afterPass:
#ifndef M_ZEROIGNORED
  if :: atomic { zero -> zero=false; goto pass } :: atomic { !zero } fi;
#else
  zero=false;
#endif
trySleep:                                /* Inbox.prepareToSleep: one compare-and-swap */
#ifdef M_SLEEPUNSEEN
  atomic { sleeping[l]=true };
#elif defined(M_SLEEPCHECK)
  if :: atomic { inbox[l]==0 } :: atomic { inbox[l]!=0 -> goto pass } fi;
  atomic { sleeping[l]=true };           /* wrong: look, then mark */
#else
  if :: atomic { inbox[l]==0 -> sleeping[l]=true } :: atomic { inbox[l]!=0 -> goto pass } fi;
#endif
end_poll:
#if OVERDUE
#define ISDUE (overdue>0 && ANY(ISOPEN,l))
#else
#define ISDUE false
#endif
#if INLIBRARY
#define WAKE assert(!inPass[l]); inPass[l]=true; woke=true; goto library
#else
#define WAKE goto pass
#endif
#ifdef M_POLLDEAF
  atomic { eventfd[l] || ANY(TICKEDGE,l) || ISDUE -> eventfd[l]=false; WAKE };
#else
  atomic { eventfd[l] || ANY(TICKEDGE,l) || message[w] || ISDUE -> eventfd[l]=false; WAKE };
#endif
closeLane:                                 /* Worker.close: MHD_stop_daemon */
  atomic { assert(!ANY(ISSUSPENDED,l));  /* else libmicrohttpd aborts the process */
    i=0;
    do :: i<CONNECTIONS ->
          if :: LANE(i)==l -> stage[i]=SHUT; ready[i]=false; inEpoll[i]=false; edge[i]=false :: else fi; i++
       :: else -> break
    od; i=0; zero=false };
  atomic { state[l]=CLOSED; openLanes--; /* P: laneClosed */
#ifndef M_NOBODYCALLED
    if :: openLanes==0 -> wakeAll() :: else fi;
#endif
    from=ELSEWHERE; l=0; CHECKARMED };
#if PAY
  atomic { pay() };
#endif
  goto turn;
payRunItem:
#if PAY && !defined(M_PAYLATE)
  atomic { pay() };
#endif
runItem:                                   /* Exchange.perform */
  atomic { from=HANDLER; zero=false;
    if :: exchange[x] & C -> x=0;
#if PAY && defined(M_PAYLATE)
          pay();
#endif
          goto turn
       :: else
    fi };
#if BLOCKS
  if :: atomic { exchange[x] & A }       /* the client left while it waited: its handler is not run */
     :: atomic { RETURNS(CONNECTION(x)) }
  fi;
#endif
#if PAY && defined(M_PAYLATE)
  atomic { pay() };                      /* wrong: paid after the handler */
#endif
#ifdef M_NOCLAIM
  skip;
#else
  atomic {                               /* claim */
    if :: exchange[x] & C -> x=0; goto turn
       :: else -> exchange[x] = exchange[x] | C
    fi };
#endif
#ifdef M_LOOKTHENFINISH
  atomic { zero = (exchange[x] & S)!=0 };        /* wrong: is it suspended? then finished: two steps */
  atomic { setFinished(x);
    if :: (exchange[x] & A)==0 && zero -> post(LANE(CONNECTION(x)), BIT(CONNECTION(x))) :: else fi;
    zero=false; x=0; goto turn };
#endif
  atomic { setFinished(x);               /* publish */
#ifdef M_POSTSALWAYS
    if :: exchange[x] & A -> x=0; goto turn
#else
    if :: (exchange[x] & A) || !(exchange[x] & S) -> x=0; goto turn
#endif
       :: else
    fi };
#ifdef M_RESUMESITSELF
  atomic { resuming[CONNECTION(x)]=true; x=0 };  /* wrong: MHD_resume_connection wakes nobody */
#elif defined(M_NEVERPOSTS)
  atomic { x=0 };
#elif defined(M_GONEISNOTPOSTED)
  atomic { if :: gone[CONNECTION(x)] :: else -> post(LANE(CONNECTION(x)), BIT(CONNECTION(x))) fi; x=0 };
#else
  atomic { post(LANE(CONNECTION(x)), BIT(CONNECTION(x))); x=0 };
#endif
  goto turn;
payEnded:
#if PAY
  atomic { pay() };
#endif
  goto ended
}

/* A tick that changes nothing is left out: ticking must not hide that nothing else moves. */
#define LANEUSE(l) (state[l]==VACANT && (!seen[l] || !due[l] || CANUP))
#define QUIET (!ANYVACANT && TOWATCH==0 && !ISSHORT)
#if LANES==1
#define LANESUSE LANEUSE(0)
#else
#define LANESUSE (LANEUSE(0) || LANEUSE(1))
#endif
#define USEFUL (backoff>0 || QUIET || (ISSHORT && waking==0) || LANESUSE || (len(queue)>0 && (!headSeen || CANUP)) || (DEPTH>0 && late>0))

proctype Monitor() {
  byte l, x, i; bool isShort, hasExpired;
#if CAPPED
  byte h;
#endif
#if PAY
  byte owed; bool owesTick;
#endif
end_monitor:
  do
#ifdef M_DISARMLATER
  :: atomic { TICKING && QUIET -> isShort=true };        /* wrong: looks, then marks */
     atomic { isArmed=false; isShort=false }
  :: atomic { TICKING && !QUIET && USEFUL ->
#else
  :: atomic { TICKING && USEFUL && !STARTFAILS ->        /* P: WorkerPool.tick */
#endif
       if
#if CAPPED
          :: late>0 && len(held)>0 ->    /* takeExpired, of what is held back */
             late--; hasExpired=true; held?x
#endif
          :: late>0 && len(queue)>0 ->   /* takeExpired */
             late--; hasExpired=true; headSeen=false;
#ifdef M_EXPIREDSTAYSQUEUED
             queue?<x>
#else
             queue?x
#endif
#if CAPPED && !defined(M_SLOTEXPIRES)
             ; if :: ISCAPPED(x) -> handOn() :: else fi
#endif
          :: true
       fi;
       if :: backoff>0 -> backoff-- :: else fi;
       l=0;
       do :: l<LANES ->
             if :: state[l]==VACANT && !seen[l] -> seen[l]=true
                :: state[l]==VACANT && seen[l] -> due[l]=true; bringUp()
                :: else
             fi; l++
          :: else -> break
       od; l=0;
       isShort=ISSHORT;
       if :: isShort && waking==0 && backoff==0 -> spawn() :: else fi;
       if :: len(queue)>0 && !headSeen -> headSeen=true
          :: len(queue)>0 && headSeen -> if :: bringUp() :: true fi      /* injectIfDue may put it off, not for ever */
          :: else
       fi;
#ifdef M_NOREPAIR
       isShort=false;
#endif
#ifdef M_ARMEDFORLANESONLY
       if :: !ANYVACANT ->
#elif defined(M_ARMEDFORQUEUEONLY)
       if :: len(queue)==0 ->
#elif defined(M_DISARMLATER)
       if :: false ->
#else
       if :: !ANYVACANT && TOWATCH==0 && !isShort ->
#endif
             isArmed=false;
#if PAY
             isTicking=false
#else
             skip
#endif
          :: else
       fi;
       isShort=false
     };
#if PAY
     atomic { pay() };
#endif
#if LATE
     if :: atomic { hasExpired -> hasExpired=false;      /* Exchange.expireInQueue: claim */
#ifndef M_NOCLAIM
             if :: exchange[x] & C -> x=0; goto end_monitor :: else -> exchange[x] = exchange[x] | C fi
#endif
           };
           atomic { setFinished(x);      /* publish */
             if :: (exchange[x] & A) || !(exchange[x] & S) -> x=0; goto end_monitor :: else fi };
           atomic { post(LANE(CONNECTION(x)), BIT(CONNECTION(x))); x=0 }
        :: atomic { !hasExpired }
     fi
#endif
  :: atomic { isClosing && started+pending==0 -> break } /* whenFinished */
  od
}

proctype Client(byte c) {
  byte r;
  do :: r<REQUESTS && stage[c]!=SHUT ->
        atomic { arrived[c]=true; if :: inEpoll[c] -> edge[c]=true :: else fi };
        if :: atomic { served[c]>r -> r++ }
           :: atomic { stage[c]==SHUT -> break }
           :: atomic { resets>0 && served[c]<=r -> resets--; gone[c]=true; if :: inEpoll[c] -> edge[c]=true :: else fi; break }
        fi
     :: r>=REQUESTS || stage[c]==SHUT -> break
  od;
  r=0
}

#if MESSAGES
/* Anybody who knows a worker's loop. Nobody knows it before its first step. */
proctype Sender() {
end_send:
  do :: atomic { messages>0 ->
          if :: word[0]!=GONE && (word[0]!=BORN || ATBIRTH) -> message[0]=true
             :: word[1%SLOTS]!=GONE && (word[1%SLOTS]!=BORN || ATBIRTH) -> message[1%SLOTS]=true
             :: word[2%SLOTS]!=GONE && (word[2%SLOTS]!=BORN || ATBIRTH) -> message[2%SLOTS]=true
             :: word[3%SLOTS]!=GONE && (word[3%SLOTS]!=BORN || ATBIRTH) -> message[3%SLOTS]=true
             :: true
          fi; messages-- }
  od
}
#endif

#if CHANGES
/* PATCH /api/pool */
proctype Operator() {
  byte i, least, most;
#if PAY
  byte owed; bool owesTick;
#endif
end_operate:
  do :: atomic { changes>0 -> changes--;
          least=LANES+1; do :: least<SLOTS -> least++ :: break od;
          most=least; do :: most<SLOTS -> most++ :: break od;
          minThreads=least; maxThreads=most; least=0; most=0;    /* P: setLimits */
#ifndef M_LIMITSNOWAKE
          wakeAll();
#endif
#ifndef M_LIMITSNOARM
          arm();
#endif
          CHECKARMED };
#if PAY
     atomic { pay() }
#endif
  od
}
#endif

#if DRAIN
/* HTTPService.beginDrain, expire */
proctype Drainer() {
  byte l;
  atomic { !STARTFAILS || backoff>0 -> isClosing=true };     /* P: WorkerPool.close */
#ifdef M_DRAINUNTOLD
  do :: atomic { l<LANES -> inbox[l] = inbox[l] | DRAINS; l++ }
#else
  do :: atomic { l<LANES -> post(l,DRAINS); l++ }
#endif
     :: atomic { l>=LANES -> l=0; break }
  od;
#if DRAIN==2 && !defined(M_NEVEREXPIRES) && !defined(M_STARTONLYDRAINS)
  do :: atomic { l<LANES -> post(l,EXPIRES); l++ }
     :: atomic { l>=LANES -> l=0; break }
  od;
#endif
  l=0
}
#endif

/* Nothing moves any more. */
proctype Watch() {
  byte k;
end_watch:
  timeout ->
    assert(len(queue)==0 && waking==0 && pending==0);
#if CAPPED
    assert(HANGS || (len(held)==0 && taken==0));                         /* nothing is held back for ever */
#endif
    k=0; do :: k<LANES -> assert(live[k]==0); k++ :: else -> break od;
#if DRAIN
    assert(openLanes==0);
    assert(started==inside && (HANGS || started==0));
#else
    assert(!ANYVACANT && started>=minThreads && started<=maxThreads);    /* I7, and the maximum */
    assert(!isArmed && !TICKING);
    k=0; do :: k<SLOTS -> assert(!message[k] || word[k]==GONE); k++ :: else -> break od;
#endif
    /* I8: every request that the pool had was answered or dropped */
    k=0; do :: k<EXCHANGES -> assert((exchange[k] & A)==0 || fate[k]!=0); k++ :: else -> break od;
    /* the idle time is still watched by somebody */
    if :: started>minThreads && !isClosing ->
          assert((ISPARKED(0) && mayEnd[0]) || (ISPARKED(1) && mayEnd[1%SLOTS]) || (ISPARKED(2) && mayEnd[2%SLOTS])
                 || (ISPARKED(3) && mayEnd[3%SLOTS]))
       :: else
    fi
}

init {
  byte k;
#if PAY
  byte owed;
#endif
  atomic {
    do :: k<CONNECTIONS -> inEpoll[k]=true; k++ :: else -> break od; k=0;
    do :: k<BOOT -> spawnOne(k); k++ :: else -> break od; k=0;     /* beginStart */
#if PAY
    paid=owed; owed=0;
#endif
#ifdef M_OUTSIDECOUNTSPENDING
    outside=BOOT;
#endif
    do :: k<SLOTS -> run Worker(k); k++ :: else -> break od; k=0;
    do :: k<CONNECTIONS -> run Client(k); k++ :: else -> break od; k=0;
    run Monitor();
#if MESSAGES
    run Sender();
#endif
#if CHANGES
    run Operator();
#endif
#if DRAIN
    run Drainer();
#endif
    run Watch()
  }
}
