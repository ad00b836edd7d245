"""A small thesaurus of what people ask sites for, as text.

One line holds words that stand for one another, the most general first; a word may be in several
lines. Verbs and nouns are apart, since `book` the verb is another thing than `book` the noun.
"""

from __future__ import annotations

from typing import Final

READING: Final = """
search: search find seek locate discover hunt query lookup explore browse filter scan
filter: filter narrow limit keep restrict search only
list: list show display view see get fetch retrieve read give tell browse pull enumerate open load present describe
check: check verify test confirm inspect examine look see validate is get view query
track: track trace follow locate monitor where
compare: compare contrast versus
calculate: calculate compute estimate work quote figure determine convert count sum
convert: convert exchange change translate
translate: translate render interpret
recommend: recommend suggest advise propose pick
plan: plan route navigate direct find get
analyze: analyze analyse report summarize summarise aggregate
preview: preview view see
visit: visit open go navigate browse
click: click press tap push hit
scroll: scroll
download: download export save get
"""
WRITING: Final = """
add: add put place insert include append throw drop pop stick toss attach assign
create: create make new compose draft generate write start open build add post set define put schedule
raise: raise file open log submit report lodge create
book: book reserve schedule arrange secure make get create hold request
schedule: schedule plan arrange set create book organise organize add put
buy: buy purchase order get checkout pay acquire
order: order buy purchase place get request reorder
pay: pay settle checkout transfer send
checkout: checkout finish complete buy order purchase pay place
cancel: cancel annul abort void rescind revoke scrap withdraw drop delete
delete: delete remove erase trash discard clear drop bin dump destroy purge ditch scrap
remove: remove delete take drop unassign exclude ditch erase
clear: clear empty reset wipe purge
reset: reset restore clear undo
update: update change edit modify adjust alter amend set correct revise replace switch fix
change: change update set switch modify edit
set: set change adjust put turn make update configure switch choose select pick
move: move reschedule shift relocate postpone transfer drag push change
reschedule: reschedule move postpone shift change push delay
rename: rename retitle call change name relabel
send: send email message mail forward write text dispatch deliver post wire share submit
message: message send contact write text tell ask email notify ping
reply: reply respond answer comment write
comment: comment reply post add leave write annotate
transfer: transfer send move wire pay remit
donate: donate give contribute pledge pay
subscribe: subscribe join register enrol enroll signup sign follow
unsubscribe: unsubscribe unfollow leave quit
register: register enrol enroll signup join subscribe apply create attend book
apply: apply submit register send request use redeem
submit: submit send file apply hand post
save: save keep store bookmark favourite favorite add remember pin
bookmark: bookmark save favourite favorite star pin
like: like favourite favorite love upvote heart star
rate: rate review score grade evaluate
review: review rate assess
upload: upload add attach send import
complete: complete finish close done mark tick resolve check
close: close resolve complete finish shut end archive
assign: assign give delegate allocate hand set
activate: activate enable start switch turn
deactivate: deactivate disable stop switch turn
lock: lock secure close shut
unlock: unlock open
start: start begin launch run play activate initiate trigger
stop: stop end halt pause cancel quit deactivate
play: play start listen hear watch stream queue put
pause: pause stop hold halt
login: login signin authenticate sign log
logout: logout signout
rent: rent hire lease book reserve
invite: invite ask add
share: share send forward
return: return refund send
refund: refund return reimburse
renew: renew extend prolong continue
extend: extend prolong lengthen renew
request: request ask order apply
report: report file notify flag raise submit
block: block freeze ban lock suspend
freeze: freeze block lock suspend
archive: archive store hide move
mark: mark flag set label tag update change move complete
label: label tag mark categorize categorise
merge: merge combine join
approve: approve accept confirm authorise authorize
confirm: confirm approve accept
reject: reject decline refuse deny
increase: increase raise up boost set change adjust
decrease: decrease lower reduce down cut set change adjust
resize: resize scale shrink enlarge change
crop: crop cut trim
rotate: rotate turn spin flip
publish: publish post release
vote: vote poll
redeem: redeem apply use
refill: refill renew reorder repeat
dim: dim lower set brightness
undo: undo revert
bid: bid offer place
lend: lend loan give
install: install add set
remind: remind add create set schedule
dispute: dispute contest report challenge flag
leave: leave add post write put
keep: keep extend hold retain
hand: hand give assign pass
borrow: borrow lend loan reserve get
lend: lend loan borrow
fill: fill complete submit enter
enter: enter add fill type submit record
record: record log add save enter
log: log record add track enter
deliver: deliver send ship bring
ship: ship send deliver dispatch
notify: notify alert email message tell warn inform subscribe
warn: warn alert notify create set alarm
alarm: alarm warn alert
watch: watch follow monitor subscribe track play
follow: follow subscribe watch track
import: import upload load
export: export download save
pick: pick choose select set
choose: choose pick select set
select: select choose pick set
switch: switch change set toggle move turn
toggle: toggle switch turn change flip
link: link connect attach join
connect: connect link join pair
repeat: repeat reorder redo renew
escalate: escalate raise forward
snooze: snooze postpone delay
mute: mute silence
star: star favourite favorite bookmark flag
pin: pin stick
hide: hide remove archive
restore: restore recover undelete reset
verify: verify check confirm validate
sort: sort order arrange rank
generate: generate create make produce
produce: produce create generate make
arrange: arrange schedule book organise organize plan request
hold: hold reserve keep book
claim: claim file submit request
enrol: enrol enroll register join book signup
withdraw: withdraw cancel drop leave
lower: lower reduce decrease
raise: raise increase
"""
NOUNS: Final = """
basket: basket cart trolley bag
product: product item article good merchandise thing stuff
catalogue: catalogue catalog inventory shop store assortment range
book: book novel title paperback hardback volume read
movie: movie film picture flick feature
show: show screening showing showtime performance session
ticket: ticket seat admission pass
issue: issue ticket problem bug incident case request complaint
song: song track tune music single
playlist: playlist mix queue
album: album record lp
artist: artist singer band musician composer
concert: concert gig event show
price: price cost fee charge rate fare amount tariff expense expensive
total: total sum amount
money: money fund cash amount balance
balance: balance money fund account left
account: account profile user
transaction: transaction payment movement spending statement purchase activity
statement: statement transaction history
recipient: recipient payee receiver beneficiary addressee contact
sender: sender from
order: order purchase
history: history past previous record recent log
delivery: delivery shipping shipment postage dispatch parcel package courier
shipment: shipment parcel package delivery order
review: review rating feedback opinion comment testimonial
rating: rating star score review
discount: discount coupon voucher promo promotion deal offer code
return: return refund exchange
policy: policy rule term condition
flight: flight plane airfare airline fly
train: train rail railway
hotel: hotel room accommodation lodging stay inn hostel motel place
room: room suite bedroom
reservation: reservation booking appointment stay table
appointment: appointment visit consultation slot checkup meeting booking
slot: slot availability time opening appointment available free vacancy
availability: availability available vacancy slot free open stock
stock: stock inventory availability available
car: car vehicle auto automobile van
trip: trip journey travel ride tour travel
route: route direction way path journey connection
stop: stop station
departure: departure leave depart timetable schedule
timetable: timetable schedule departure
map: map location
place: place location spot venue site
weather: weather forecast temperature rain sunny snow wind umbrella climate cold warm hot degree
forecast: forecast weather outlook prediction
alert: alert warning notification alarm
event: event meeting appointment happening gathering
calendar: calendar schedule diary agenda
meeting: meeting call appointment event
reminder: reminder alarm remind alert
task: task todo chore item reminder job do
note: note memo
list: list
doctor: doctor physician gp clinician dr provider practitioner specialist
patient: patient person
prescription: prescription medication medicine drug pill refill
medicine: medicine medication drug pill tablet
test: test exam result lab
insurance: insurance coverage policy cover insured
claim: claim damage accident
quote: quote estimate price offer premium
recipe: recipe dish meal cook
ingredient: ingredient component
meal: meal dish food dinner lunch breakfast
pizza: pizza pie
topping: topping
menu: menu food dish card
restaurant: restaurant place eatery diner cafe bistro
table: table reservation
job: job position vacancy role opening work employment gig post
application: application apply
salary: salary pay wage income earnings
company: company employer business firm organisation organization
resume: resume cv
employee: employee staff worker colleague
customer: customer client contact buyer
contact: contact person address customer lead
lead: lead prospect opportunity contact
deal: deal opportunity sale
property: property home house flat apartment listing estate residence real-estate
house: house home property
apartment: apartment flat condo
bedroom: bedroom bed
agent: agent realtor broker
viewing: viewing tour visit showing appointment
mortgage: mortgage loan
payment: payment instalment installment pay
email: email mail message e-mail
message: message email mail text letter note word line
attachment: attachment file
file: file document attachment
folder: folder directory
article: article page post doc document entry guide
post: post article entry message thread
thread: thread topic discussion conversation post
forum: forum board community
comment: comment reply remark note
page: page article document
documentation: documentation doc manual guide help
question: question faq query ask
user: user member account person people
member: member user
team: team group
project: project
report: report summary overview dashboard
metric: metric measure kpi statistic stat figure number
visitor: visitor user traffic visit people audience
revenue: revenue sale income turnover earning
light: light lamp lighting bulb
thermostat: thermostat temperature heating heat heater climate
temperature: temperature heat degree warm cool
door: door lock gate
device: device appliance gadget
scene: scene mode
camera: camera cam
course: course class lesson subject module training
class: class course lesson lecture session
grade: grade mark score result
assignment: assignment homework exercise task
student: student pupil learner
teacher: teacher tutor instructor professor
donation: donation gift contribution
cause: cause charity campaign project fundraiser
volunteer: volunteer helper
language: language tongue
text: text sentence phrase word
photo: photo picture image pic photograph
artwork: artwork painting picture drawing sculpture art piece
leave: leave vacation holiday absence
vehicle: vehicle car van truck lorry
video: video clip movie
filter: filter effect
form: form application
address: address location residence
phone: phone telephone mobile number call
name: name title
category: category section genre department shelf type kind
type: type kind sort category
size: size format
color: color colour
quantity: quantity amount number count copy unit
date: date day when
time: time hour when clock
location: location place city where area town
city: city town
country: country nation
distance: distance far away mile km
duration: duration long length time
people: person people guest adult traveller traveler passenger attendee
guest: guest person visitor people
child: child kid children
pet: pet dog cat animal
newsletter: newsletter mailing letter
subscription: subscription plan membership
membership: membership subscription
invoice: invoice bill receipt
bill: bill invoice payment
tax: tax vat
loan: loan credit borrow
card: card
currency: currency exchange money
wishlist: wishlist favourite favorite saved
favorite: favorite favourite saved bookmark wishlist starred
library: library
fine: fine fee penalty due
copy: copy
author: author writer by novelist
genre: genre category kind
gift: gift present
hour: hour opening open
store: store shop branch outlet
status: status state progress where
priority: priority urgency importance
tag: tag label keyword
permit: permit licence license
passport: passport id
feature: feature amenity facility
seat: seat chair place
url: url link address permalink
now: now current currently present
todo: todo task do
borrow: borrow loan lend borrowed
status: status progress state
spending: spending expense transaction
usage: usage consumption use
team: team group squad
visit: visit appointment viewing
news: news headline article story
quiz: quiz test exam
homework: homework assignment
team: team group
booking: booking reservation appointment order
stock: stock share
project: project campaign
venue: venue location place
workout: workout exercise training
"""
